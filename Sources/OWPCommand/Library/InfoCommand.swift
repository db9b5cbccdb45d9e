// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OWPWire
import OpenWatchParty

/// `owp info`: what owp knows about a file.
enum InfoCommand: Subcommand {
    static let name = "info"
    static let summary = "Show what owp knows about a video file"
    static let usage = ["info [OPTIONS] FILE..."]
    static let discussion = """
        For each file: its size, its OpenSubtitles hash (files of at least 64 KiB), its length as mpv knows it, and the
        descriptor by which 'owp watch --create FILE' would name it to the others.

        With --json each file is an object {name, sizeBytes, oshash, durationMs, media}, with null for what is not known,
        and 'error' when it is no film that mpv can play. When nothing can be shown at all, the line is
        {event: "failed", status, text}.
        """
    static let options = [
        Option("--player-path", "PROGRAM", help: "What is started as mpv (mpv)."),
        Option("--json", help: "One JSON object a line."),
    ]

    static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        guard !arguments.operands.isEmpty else { throw UsageError("name at least one file") }
        let files = try arguments.operands.map { try LocalFile.named($0) }
        let program = arguments.text("--player-path") ?? "mpv"
        let probe = PlayerProbe(program: program)
        var status: Int32 = 0
        for (index, file) in files.enumerated() {
            let hash = oshash(ofFile: file.path)
            var durationMs: Int64?
            var failure: String?
            do {
                durationMs = try await probe.durationMs(of: file)
                if durationMs == nil { failure = "mpv does not know how long '\(plainText(file.name))' is" }
            } catch let error as MPVError {
                failure = CommandFailure(error, program: program, file: file).message
            }
            let media = durationMs.map { Media.sharing(file, durationMs: $0, oshash: hash) }
            if arguments.has("--json") {
                console.line(json(file, hash: hash, media: media, failure: failure))
            } else {
                if index > 0 { console.line() }
                for line in text(file, hash: hash, media: media) { console.line(line) }
            }
            if let failure {
                console.errorLine("owp info: \(failure)")
                status = 1
            }
        }
        return status
    }

    private static func text(_ file: LocalFile, hash: String?, media: Media?) -> [String] {
        var lines = ["file      \(plainText(file.name))", "size      \(file.sizeBytes) bytes"]
        let noHash =
            file.sizeBytes < 65_536 ? "none (smaller than 64 KiB)" : "none (it cannot be read, or is being written)"
        lines.append("hash      \(hash ?? noHash)")
        guard let media else { return lines + ["length    unknown"] }
        lines.append("length    \(clockText(media.durationMs, withTenths: true)) (\(media.durationMs) ms)")
        if let text = try? media.toJSON().text { lines.append("shared as \(text)") }
        if let broken = checkMedia(media) { lines.append("not shareable: \(broken)") }
        return lines
    }

    private static func json(_ file: LocalFile, hash: String?, media: Media?, failure: String?) -> String {
        var members: [String: JSONValue] = [
            "name": .string(plainText(file.name)), "sizeBytes": .number(Double(file.sizeBytes)),
            "oshash": hash.map { .string($0) } ?? .null,
            "durationMs": media.map { .number(Double($0.durationMs)) } ?? .null,
        ]
        members["media"] = media?.toJSON() ?? .null
        if let failure { members["error"] = .string(failure) }
        return (try? JSONValue.object(members).text) ?? "{}"
    }
}
