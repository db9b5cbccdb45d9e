// OpenWatchParty for Swift. See LICENSE.

/// Why reading stopped: the text is no JSON, or its value breaks a rule.
enum ReadFailure: Error {
    /// The text is refused as JSON.
    case syntax(JSONSyntaxError)
    /// The value breaks a rule, told in words; the text after it is not read, and may be no JSON.
    case rule(StaticString)

    /// The failure in words.
    var words: String {
        switch self {
        case .syntax(let error): "\(error)"
        case .rule(let rule): "\(rule)"
        }
    }
}
