// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation

    /// Terminates TLS in front of a plain server, in a Python process, with certificates made by openssl at the first use.
    struct TLSProxy {
        /// What its certificate is like.
        enum Certificate: String, CaseIterable { case good, otherHost, expired, selfSigned }

        /// Why a step failed.
        struct Failure: Error { var text: String }

        /// The port it listens on.
        let port: Int
        private let process: Process
        /// Held open while the proxy shall live; a signal would not do, since tests' threads block them for their children.
        private let life = Pipe()

        /// Whether python3 and openssl are there; says loudly when they are not.
        static let canRun: Bool = {
            for tool in [["python3", "-c", "import ssl"], ["openssl", "version"]] where (try? run(tool)) == nil {
                print("SKIPPED: the TLS tests need \(tool[0])")
                return false
            }
            return true
        }()

        /// The file of the test's own CA.
        static var authority: String { folder + "/ca.pem" }

        private static let folder: String = {
            let folder = NSTemporaryDirectory() + "owp-tls-\(ProcessInfo.processInfo.processIdentifier)"
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try makeCertificates(in: folder)
            } catch {
                print("no certificates: \(error)")
            }
            return folder
        }()

        init(_ certificate: Certificate, to target: Int) throws {
            process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let files = [Self.folder + "/\(certificate.rawValue).pem", Self.folder + "/\(certificate.rawValue).key"]
            process.arguments = ["python3", "-u", "-c", Self.script] + files + ["\(target)"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = life
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let port = Int(line.filter(\.isNumber)) else {
                throw Failure(text: "the TLS proxy did not start: \(line)")
            }
            self.port = port
        }

        func stop() { try? life.fileHandleForWriting.close() }

        private static func makeCertificates(in folder: String) throws {
            let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            func path(_ name: String) -> String { folder + "/" + name }
            try run(
                ["openssl", "req", "-x509"] + key + [
                    "-keyout", path("ca.key"), "-out", path("ca.pem"), "-days", "2", "-subj", "/CN=OWP test CA",
                ]
            )
            let names: [(Certificate, String)] = [
                (.good, "DNS:localhost,IP:127.0.0.1"), (.otherHost, "DNS:elsewhere.example"),
                (.expired, "DNS:localhost"),
            ]
            for (certificate, names) in names {
                let name = certificate.rawValue
                try run(
                    ["openssl", "req"] + key + [
                        "-keyout", path(name + ".key"), "-out", path(name + ".csr"), "-subj", "/CN=test", "-addext",
                        "subjectAltName=" + names,
                    ]
                )
                let sign = [
                    "openssl", "x509", "-req", "-in", path(name + ".csr"), "-CA", path("ca.pem"), "-CAkey",
                    path("ca.key"),
                    "-copy_extensions", "copy", "-out", path(name + ".pem"),
                ]
                if certificate == .expired {
                    // Newer versions refuse a negative time, older ones do not know the dates.
                    let dates = ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
                    do { try run(sign + ["-days", "-1"]) } catch { try run(sign + dates) }
                } else {
                    try run(sign + ["-days", "2"])
                }
            }
            try run(
                ["openssl", "req", "-x509"] + key + [
                    "-keyout", path("selfSigned.key"), "-out", path("selfSigned.pem"), "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                ]
            )
        }

        private static func run(_ command: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = command
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(text: command.joined(separator: " ")) }
        }

        /// Prints its port; ends each side when the other does, without a goodbye of TLS.
        private static let script = """
            import os, socket, ssl, sys, threading
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1])
            def pump(source, sink):
                try:
                    while data := source.recv(65536): sink.sendall(data)
                except OSError: pass
                for end in (source, sink):
                    try: end.shutdown(socket.SHUT_RDWR)
                    except OSError: pass
            def serve(client):
                try: tls = context.wrap_socket(client, server_side=True)
                except (OSError, ssl.SSLError): return client.close()
                plain = socket.create_connection(("127.0.0.1", int(sys.argv[3])))
                threading.Thread(target=pump, args=(plain, tls), daemon=True).start()
                pump(tls, plain)
            def live():
                sys.stdin.read()
                os._exit(0)
            threading.Thread(target=live, daemon=True).start()
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()
            """
    }
#endif
