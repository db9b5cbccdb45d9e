// OpenWatchParty for Swift. See LICENSE.

extension Call where Value == Void {
    /// The end of a call that does not fail, as `detachPlayer` and `close` return it (section 11.2).
    var completion: Task<Void, Never> {
        Task { try? await value() }
    }
}
