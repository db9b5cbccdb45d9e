// OpenWatchParty for Swift. See LICENSE.

// What an app sees beside the facade: the types whole, and of the layers that have names for tools only what apps need.
@_exported public import OWPCore
@_exported public import func OWPMatching.sameTitle
@_exported public import class OWPTransportFoundation.SystemClock
@_exported public import func OWPTransportFoundation.urlSessionConnect
@_exported public import func OWPTransportFoundation.urlSessionGet
@_exported public import func OWPWire.checkMedia
@_exported public import func OWPWire.parseMedia
