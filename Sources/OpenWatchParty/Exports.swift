// OpenWatchParty for Swift. See LICENSE.

@_exported public import OWPCore
@_exported public import OWPMatching
@_exported public import OWPTransportFoundation
@_exported public import OWPWire
