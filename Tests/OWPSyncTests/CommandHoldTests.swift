// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("Command hold (section 12)")
struct CommandHoldTests {
    private func held(_ command: HeldCommand, atLocalMs localMs: Int64 = 1000) -> CommandHold {
        var hold = CommandHold()
        hold.sent(command, atLocalMs: localMs)
        return hold
    }

    @Test("Without a command nothing holds and nothing ends")
    func none() {
        var hold = CommandHold()
        #expect(!hold.isHolding)
        #expect(hold.endsAtMs == nil)
        #expect(hold.roomAccepted(hasAction: true) == false)
        #expect(hold.errorReceived(re: "pause") == false)
        #expect(hold.timePassed(atLocalMs: .max) == false)
        #expect(hold.end() == false)
    }

    @Test("It ends by itself after 2000 ms, and once", arguments: HeldCommand.allCases)
    func time(_ command: HeldCommand) {
        var hold = held(command)
        #expect(hold.endsAtMs == 3000)
        #expect(hold.timePassed(atLocalMs: 2999) == false)
        #expect(hold.isHolding)
        #expect(hold.timePassed(atLocalMs: 3000) == true)
        #expect(!hold.isHolding)
        #expect(hold.timePassed(atLocalMs: 3001) == false)
    }

    @Test("An accepted room with an action ends it, one without does not")
    func room() {
        var hold = held(.seek)
        #expect(hold.roomAccepted(hasAction: false) == false)
        #expect(hold.isHolding)
        #expect(hold.roomAccepted(hasAction: true) == true)
        #expect(hold.endsAtMs == nil)
    }

    @Test("Only an error about the holding command ends it", arguments: HeldCommand.allCases)
    func errors(_ command: HeldCommand) {
        let others = HeldCommand.allCases.filter { $0 != command }.map { Optional($0.rawValue) }
        for re in others + [nil, "", "play", "setRate", "setMedia", "Pause"] {
            var hold = held(command)
            #expect(hold.errorReceived(re: re) == false)
            #expect(hold.isHolding)
        }
        var hold = held(command)
        #expect(hold.errorReceived(re: command.rawValue) == true)
        #expect(!hold.isHolding)
    }

    @Test("A new command replaces the hold, its time and its error")
    func replaced() {
        var hold = held(.pause)
        hold.sent(.rate, atLocalMs: 2500)
        #expect(hold.timePassed(atLocalMs: 3000) == false)
        #expect(hold.errorReceived(re: "pause") == false)
        #expect(hold.endsAtMs == 4500)
        #expect(hold.errorReceived(re: "rate") == true)
    }

    @Test("The commands' names are the messages' types")
    func names() {
        #expect(HeldCommand.allCases.map(\.rawValue) == ["pause", "seek", "rate"])
    }

    @Test("Times at the ends of the range never trap", arguments: [Int64.min, 0, .max])
    func extremes(_ localMs: Int64) {
        var hold = held(.seek, atLocalMs: localMs)
        _ = hold.timePassed(atLocalMs: .min)
        _ = hold.timePassed(atLocalMs: .max)
    }
}
