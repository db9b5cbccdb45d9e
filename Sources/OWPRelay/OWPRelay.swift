// OpenWatchParty for Swift. See LICENSE.
