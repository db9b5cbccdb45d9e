// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
import OWPWire

/// Compares a result with the expected one, exactly: numbers as doubles, strings by scalars (section 17).
///
/// An absent member and `null` are the same.
///
/// - Parameters:
///   - got: What the rule gave.
///   - expected: What the table says.
///   - path: Where the two stand, such as `pongs[2].best`; empty for the whole.
/// - Returns: A line for each difference; empty when there is none.
package func differences(_ got: JSONValue, from expected: JSONValue, at path: String = "") -> [String] {
    switch (got, expected) {
    case (.object(let got), .object(let expected)):
        let names = Set(got.keys).union(expected.keys).sorted()
        return names.flatMap { name in
            let inner = path.isEmpty ? name : "\(path).\(name)"
            return differences(got[name] ?? .null, from: expected[name] ?? .null, at: inner)
        }
    case (.array(let got), .array(let expected)) where got.count == expected.count:
        return zip(got, expected).enumerated().flatMap { index, pair in
            differences(pair.0, from: pair.1, at: "\(path)[\(index)]")
        }
    case (.string(let got), .string(let expected)) where sameScalars(got, expected):
        return []
    case (.string, .string):
        break
    default:
        if got == expected { return [] }
    }
    return ["\(path.isEmpty ? "result" : path): expected \(words(expected)), got \(words(got))"]
}

/// A value in one line, its other characters than printable ASCII as escapes.
private func words(_ value: JSONValue) -> String {
    guard let text = try? value.text else { return "\(value)" }
    var line = ""
    for unit in text.utf16 {
        if (0x20..<0x7F).contains(unit) {
            line.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
        } else {
            let digits = String(unit, radix: 16)
            line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
    return line
}
