// OpenWatchParty for Swift. See LICENSE.

import Foundation

#if os(Linux)
    import COWPSystem
#endif

/// A descriptor that can be read or written, or whose peer is gone.
struct PollEvent: Hashable, Sendable {
    /// The descriptor.
    var descriptor: Int32
    /// Whether it can be read, or is at its end, or failed.
    var isReadable: Bool
    /// Whether it can be written.
    var isWritable: Bool
}

/// Waits for many descriptors at once: epoll on Linux, kqueue on Darwin.
///
/// Descriptors are always watched for reading, level-triggered, and for writing on demand. Only ``wake()`` may be
/// called from other threads.
struct Poller: Sendable {
    private let queue: Int32
    /// Linux: an eventfd that is part of the queue; Darwin: unused.
    private let waker: Int32

    /// Closes the queue.
    func close() {
        _ = Foundation.close(queue)
        if waker >= 0 { _ = Foundation.close(waker) }
    }
}

#if os(Linux)
    extension Poller {
        /// Opens a queue.
        init() throws(RelayStartError) {
            queue = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard queue >= 0 else { throw RelayStartError("cannot watch sockets: \(systemError())") }
            waker = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard waker >= 0, add(waker) else { throw RelayStartError("cannot watch sockets: \(systemError())") }
        }

        /// Watches a descriptor for reading.
        ///
        /// - Returns: Whether the system took it.
        func add(_ descriptor: Int32) -> Bool { control(EPOLL_CTL_ADD, descriptor, writing: false) }

        /// Says whether a descriptor is also watched for writing.
        func watch(_ descriptor: Int32, forWriting: Bool) {
            _ = control(EPOLL_CTL_MOD, descriptor, writing: forWriting)
        }

        /// Watches a descriptor no longer.
        func remove(_ descriptor: Int32) { _ = control(EPOLL_CTL_DEL, descriptor, writing: false) }

        private func control(_ operation: Int32, _ descriptor: Int32, writing: Bool) -> Bool {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | (writing ? EPOLLOUT.rawValue : 0)
            event.data.fd = descriptor
            return epoll_ctl(queue, operation, descriptor, &event) == 0
        }

        /// Ends a ``wait(atMostMs:)`` of another thread.
        func wake() { _ = eventfd_write(waker, 1) }

        /// Waits until something happens.
        ///
        /// - Parameter limitMs: How long at most; nil for ever.
        /// - Returns: What happened, nothing of which is the waker's.
        func wait(atMostMs limitMs: Int64?) -> [PollEvent] {
            let timeout = limitMs.map { Int32(clamping: max(0, $0)) } ?? -1
            return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 512) { events in
                let count = epoll_wait(queue, events.baseAddress, 512, timeout)
                guard count > 0 else { return [] }
                var happened: [PollEvent] = []
                happened.reserveCapacity(Int(count))
                for event in events[..<Int(count)] {
                    if event.data.fd == waker {
                        var count: eventfd_t = 0
                        _ = eventfd_read(waker, &count)
                        continue
                    }
                    happened.append(
                        PollEvent(
                            descriptor: event.data.fd,
                            isReadable: event.events & ~EPOLLOUT.rawValue != 0,
                            isWritable: event.events & EPOLLOUT.rawValue != 0
                        )
                    )
                }
                return happened
            }
        }
    }
#elseif canImport(Darwin)
    extension Poller {
        /// Opens a queue.
        init() throws(RelayStartError) {
            queue = kqueue()
            waker = -1
            guard queue >= 0, change(0, EVFILT_USER, EV_ADD | EV_CLEAR) else {
                throw RelayStartError("cannot watch sockets: \(systemError())")
            }
        }

        /// Watches a descriptor for reading.
        ///
        /// - Returns: Whether the system took it.
        func add(_ descriptor: Int32) -> Bool { change(descriptor, EVFILT_READ, EV_ADD) }

        /// Says whether a descriptor is also watched for writing.
        func watch(_ descriptor: Int32, forWriting: Bool) {
            _ = change(descriptor, EVFILT_WRITE, forWriting ? EV_ADD : EV_DELETE)
        }

        /// Watches a descriptor no longer.
        func remove(_ descriptor: Int32) {
            _ = change(descriptor, EVFILT_READ, EV_DELETE)
            _ = change(descriptor, EVFILT_WRITE, EV_DELETE)
        }

        private func change(_ descriptor: Int32, _ filter: Int, _ flags: Int32, _ fflags: UInt32 = 0) -> Bool {
            var event = kevent(
                ident: UInt(descriptor),
                filter: Int16(filter),
                flags: UInt16(flags),
                fflags: fflags,
                data: 0,
                udata: nil
            )
            return kevent(queue, &event, 1, nil, 0, nil) == 0
        }

        /// Ends a ``wait(atMostMs:)`` of another thread.
        func wake() { _ = change(0, EVFILT_USER, 0, UInt32(NOTE_TRIGGER)) }

        /// Waits until something happens.
        ///
        /// - Parameter limitMs: How long at most; nil for ever.
        /// - Returns: What happened, nothing of which is the waker's.
        func wait(atMostMs limitMs: Int64?) -> [PollEvent] {
            withUnsafeTemporaryAllocation(of: kevent.self, capacity: 512) { events in
                let count: Int32
                if let limitMs {
                    let waitMs = Int(max(0, min(limitMs, 86_400_000)))
                    var timeout = timespec(tv_sec: waitMs / 1000, tv_nsec: waitMs % 1000 * 1_000_000)
                    count = kevent(queue, nil, 0, events.baseAddress, 512, &timeout)
                } else {
                    count = kevent(queue, nil, 0, events.baseAddress, 512, nil)
                }
                guard count > 0 else { return [] }
                return events[..<Int(count)].filter { Int32($0.filter) != EVFILT_USER }.map { event in
                    PollEvent(
                        descriptor: Int32(event.ident),
                        isReadable: Int32(event.filter) == EVFILT_READ,
                        isWritable: Int32(event.filter) == EVFILT_WRITE
                    )
                }
            }
        }
    }
#endif

/// The system's text for the error of the last call.
func systemError() -> String { String(cString: strerror(errno)) }
