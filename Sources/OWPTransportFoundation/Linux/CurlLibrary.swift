// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import COWPSystem

    /// The system's libcurl, looked up at run time, so that building needs no package beside the toolchain.
    ///
    /// Sendable, since `api` is never changed nor freed, and any thread may call its functions.
    struct CurlLibrary: @unchecked Sendable {
        /// The functions.
        let api: UnsafePointer<owp_curl>

        /// The library of this process, loaded at the first use.
        static let shared = Result { try load(["libcurl.so.4", "libcurl-gnutls.so.4"]) }

        /// Loads the first of some libraries that is there.
        ///
        /// - Parameter names: File names, as the dynamic linker finds them.
        /// - Returns: The library, initialized.
        /// - Throws: ``TransportError``, `noLibrary`, which names what is missing.
        static func load(_ names: [String]) throws(TransportError) -> CurlLibrary {
            let api = UnsafeMutablePointer<owp_curl>.allocate(capacity: 1)
            api.initialize(to: owp_curl())
            for name in names {
                switch owp_curl_load(api, name) {
                case 0:
                    // Everything, TLS included; once a process, before any thread uses it.
                    guard api.pointee.global_init(3) == 0 else {
                        throw TransportError(.noLibrary, "\(name) could not be initialized")
                    }
                    return CurlLibrary(api: UnsafePointer(api))
                case -1: continue
                default:
                    let version = api.pointee.version?().map { String(cString: $0) } ?? "no libcurl at all"
                    throw TransportError(.noLibrary, "\(name) is too old, libcurl 7.68 is needed: it is \(version)")
                }
            }
            let wanted = names.joined(separator: " or ")
            throw TransportError(
                .noLibrary,
                "\(wanted) was not found: install libcurl (on Debian and Ubuntu, libcurl4)"
            )
        }
    }
#endif
