// OpenWatchParty for Swift. See LICENSE.

@_exported public import OWPCore
