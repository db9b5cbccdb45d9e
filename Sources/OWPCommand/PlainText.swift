// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// A text from outside as it may be printed: what could steer a terminal or reorder a line is spelled out, as `\u{1B}`.
///
/// That is what the specification forbids in names, every other invisible mark of direction, and every scalar without a
/// meaning of its own. Whatever comes from a command line, a file, a player or a relay goes through here before it is
/// printed.
///
/// - Parameters:
///   - text: The text.
///   - limit: How many scalars are kept; an ellipsis stands for the rest.
/// - Returns: The text to print.
package func plainText(_ text: String, limit: Int = 200) -> String {
    var scalars = String.UnicodeScalarView()
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == limit {
            scalars.append("…")
            break
        }
        if isPrintable(scalar) {
            scalars.append(scalar)
        } else {
            scalars += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
        }
    }
    return String(scalars)
}

/// A text of the user's own as others are shown it: what may not be printed is left out.
///
/// - Parameters:
///   - text: The text.
///   - limit: How many scalars are kept.
/// - Returns: What is left of it.
package func printableText(_ text: String, limit: Int = 200) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter(isPrintable).prefix(limit)))
}

private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    if isForbidden(scalar) { return false }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
    // The joiner holds emoji together, and the marks of languages such as Persian are read.
    case .format: return scalar == "\u{200D}" || scalar == "\u{200C}"
    default: return true
    }
}

/// A time as people write it: `0:07`, `12:34` or `1:02:03`; `withTenths` adds a digit.
package func clockText(_ ms: Int64, withTenths: Bool = false) -> String {
    let total = ms.magnitude / (withTenths ? 100 : 1000)
    let tenths = withTenths ? ".\(total % 10)" : ""
    let seconds = withTenths ? total / 10 : total
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let sign = ms < 0 && total > 0 ? "-" : ""
    let padded = { (value: UInt64) in value < 10 ? "0\(value)" : "\(value)" }
    let head = hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)"
    return "\(sign)\(head):\(padded(seconds % 60))\(tenths)"
}
