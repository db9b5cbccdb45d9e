// OpenWatchParty for Swift. See LICENSE.

package import OWPCore

/// One case of a table: what is given, and what must come of it.
package struct TableCase: Sendable {
    /// What the case pins, in words.
    package let name: String
    /// The input.
    package let given: CaseInput
    /// The result of a correct implementation.
    package let expect: JSONValue

    /// Makes a case.
    package init(name: String, given: CaseInput, expect: JSONValue) {
        self.name = name
        self.given = given
        self.expect = expect
    }
}

/// What keeps a case or a file from being run: a fault of the table, not of the rule.
package struct TableError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, with the member's path.
    package let description: String

    /// Makes an error.
    package init(_ description: String) { self.description = description }
}

/// Thrown by a case that this language cannot run.
package struct SkippedCase: Error, Hashable {
    /// Why not.
    package let reason: String

    /// Makes a skip.
    package init(_ reason: String) { self.reason = reason }
}
