// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPWire

/// Reads one file of a table.
///
/// - Parameters:
///   - table: The table that the file's name says.
///   - url: The file.
/// - Returns: The cases in their order, or what is wrong with one.
/// - Throws: ``TableError`` when the file cannot be read, or is not this table's.
func readCases(of table: String, at url: URL) throws -> [Result<TableCase, TableError>] {
    let text: String
    do {
        text = try String(contentsOf: url, encoding: .utf8)
    } catch {
        throw TableError("cannot be read as UTF-8 text: \(error.localizedDescription)")
    }
    let value: JSONValue
    do {
        value = try JSONValue(parsing: text)
    } catch let error as PartyError {
        throw TableError("is not JSON: \(error.message)")
    }
    let file = try CaseInput(value, path: "the file")
    let named = try file.string("table")
    guard sameScalars(named, table) else { throw TableError("says table '\(named)', but its name says '\(table)'") }
    let beginnings = try file.value("beginnings")
    return try file.array("cases").map { item in
        Result { table == "party" ? try readTrace(item, beginnings) : try readCase(item) }.mapError {
            $0 as? TableError ?? TableError("\($0)")
        }
    }
}

/// A trace has no result apart from its steps, and may begin as its file says.
private func readTrace(_ value: JSONValue, _ beginnings: JSONValue?) throws -> TableCase {
    let name = try CaseInput(value, path: "the trace").string("name")
    let given = try CaseInput(["trace": value, "beginnings": beginnings ?? [:]], path: "given")
    return TableCase(name: name, given: given, expect: .null)
}

private func readCase(_ value: JSONValue) throws -> TableCase {
    let item = try CaseInput(value, path: "the case")
    let name = try item.string("name")
    do {
        let given = try CaseInput(item.required("given"), path: "given")
        return TableCase(name: name, given: given, expect: try item.required("expect"))
    } catch let error as TableError {
        throw TableError("'\(name)': \(error)")
    }
}
