// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelay
import OWPRelayCheck
import OWPTestSupport
import OWPWire
import OpenWatchParty
import Testing

@testable import OWPCommand
@testable import OWPPlayerMPV

@Suite("owp watch --host-here", .serialized)
@MainActor
struct HostHereTests {
    @Test("It makes a room and needs no relay, and says what does not go together")
    func settings() throws {
        let folder = try TestFolder()
        let film = try folder.write("film.mkv")
        func settings(_ words: [String]) throws -> WatchSettings {
            try WatchSettings(Arguments(words, options: WatchCommand.options), environment: [:])
        }
        let hosting = try settings(["--host-here", film, "--everyone", "--start-with", "2"])
        #expect(hosting.hostsRelay)
        #expect(hosting.entry == .create(try #require(LocalFile(path: film))))
        #expect(!(try settings(["--create", film])).hostsRelay)
        let both = #expect(throws: UsageError.self) { try settings(["--host-here", film, "--relay", "http://x"]) }
        #expect(both?.message.contains("--relay") == true)
        #expect(throws: UsageError.self) { try settings(["--host-here"]) }
    }

    @Test("What the others type is printed whole, for every address")
    func invitation() throws {
        let folder = try TestFolder()
        let film = try #require(LocalFile(path: try folder.write("film.mkv")))
        var settings = WatchSettings(entry: .create(film), library: try MediaLibrary(paths: [film.path]))
        settings.hostsRelay = true
        settings.invitingRelays = ["http://192.168.1.5:8080", "http://10.0.0.5:8080"]
        let media = Media(kind: .movie, title: "Film", durationMs: 60_000)
        let text = WatchTexts.invitation("K7M-Q2X", media, settings.invitingRelays, settings)
        #expect(text.contains("\n  owp watch K7M-Q2X FILE_OR_FOLDER --relay http://192.168.1.5:8080\n"))
        #expect(text.contains("\nor owp watch K7M-Q2X FILE_OR_FOLDER --relay http://10.0.0.5:8080\n"))
        #expect(text.contains("ends for everyone when you leave"))
        settings.invitingRelays = []
        let alone = WatchTexts.invitation("K7M-Q2X", media, ["http://127.0.0.1:8080"], settings)
        #expect(alone.contains("in no network"))
    }

    @Test("The relay takes the usual port, or another when that is taken, and names addresses of this machine")
    func relay() throws {
        let first = try WatchCommand.hostedRelay()
        let second = try WatchCommand.hostedRelay()
        defer {
            first.stop()
            second.stop()
        }
        #expect(first.port != second.port)
        for relay in [first, second] {
            for url in relay.networkURLs {
                #expect(url.hasSuffix(":\(relay.port)") && !url.contains("//127."))
                _ = try Relays.at(url)
            }
        }
        let local = try EmbeddedRelay.start()
        defer { local.stop() }
        #expect(local.networkURLs.isEmpty)
    }

    @Test(
        "Another joins what it printed; leaving ends the room for everyone and the relay with it",
        .enabled(if: hasMPV)
    )
    func program() async throws {
        let folder = try TestFolder()
        let film = folder.path + "/film.y4m"
        try writeTestFilm(film, seconds: 5)
        let host = try RunningProgram(["watch", "--host-here", film, "--headless", "--json", "--name", "Anna"])
        #expect(await eventually { host.event("created") != nil }, "\(host.output)")
        let created = try #require(host.event("created"))
        guard case .string(let code)? = created["code"], case .array(let relays)? = created["relays"],
            case .string(let relay)? = relays.first, let port = relay.split(separator: ":").last.flatMap({ Int($0) })
        else {
            Issue.record("\(host.output)")
            return
        }
        let guest = try BlockingClient(webSocketAt: port)
        #expect(try guest.join(code).room.participants.first?.name == "Anna")
        #expect(await host.end() == 0)
        let reason = try guest.next("closed") { if case .closed(let reason) = $0 { reason } else { nil } }
        #expect(reason == "ended")
        #expect(throws: CheckFailure.self) { try BlockingClient(port: port) }
    }
}

private let hasMPV = MPVPlayer.find("mpv") != nil
