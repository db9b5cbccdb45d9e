// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// The compiled copy of `conformance/relays.json`, written by `.ci/embed-relays` (section 3.1).
let publicRelays: [Relay] = [
    Relay(
        id: "main",
        name: "Open Watch Party",
        url: "wss://relay.openwatch.party/v1/ws",
        prefixes: "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
    )
]
