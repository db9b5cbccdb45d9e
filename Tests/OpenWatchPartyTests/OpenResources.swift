// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import Glibc

    /// The descriptors and threads of this process that are the package's or its tests' own, at one moment.
    ///
    /// The pool threads of the system and what it waits for timers with come and go with any task, so they don't count;
    /// every thread that this package starts bears a name that begins with `OWP`.
    struct OpenResources: Hashable {
        /// How many descriptors there are by what they stand for; a socket's or pipe's text has its own number.
        private(set) var descriptors: [String: Int] = [:]
        /// The threads, by number and name.
        private(set) var threads: Set<String> = []

        /// Looks now.
        init() {
            let folder = "/proc/self"
            for number in Self.names("\(folder)/fd") {
                // The descriptor that the listing itself needed is closed again.
                let path = "\(folder)/fd/\(number)"
                guard let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { continue }
                if kind != "anon_inode:[timerfd]" { descriptors[kind, default: 0] += 1 }
            }
            for number in Self.names("\(folder)/task") {
                let name = try? String(contentsOfFile: "\(folder)/task/\(number)/comm", encoding: .utf8)
                if let name, name.hasPrefix("OWP") { threads.insert("thread \(number) \(name.dropLast())") }
            }
        }

        /// What is here and was not at an earlier moment.
        func added(since earlier: OpenResources) -> [String] {
            let more = descriptors.filter { $0.value > earlier.descriptors[$0.key, default: 0] }.keys
            return threads.subtracting(earlier.threads).union(more).sorted()
        }

        private static func names(_ folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
    }
#endif
