// OpenWatchParty for Swift. See LICENSE.

/// The name that a mistyped one was probably meant to be; nil when none is near.
///
/// Near is at most two letters changed, added, left out or swapped with their neighbour, and at most a third of the name;
/// or the beginning of one name alone.
///
/// - Parameters:
///   - typed: What was typed.
///   - names: What could have been meant.
/// - Returns: The nearest; of several the first.
func nearest(_ typed: String, of names: [String]) -> String? {
    // Long input is no slip of the fingers, and the distance costs its square.
    guard typed.utf8.count <= 40 else { return nil }
    let begun = names.filter { $0.hasPrefix(typed) }
    if begun.count == 1, typed.utf8.count > 2 { return begun[0] }
    let close = names.map { (name: $0, distance: editDistance(Array(typed.utf8), Array($0.utf8))) }
        .filter { $0.distance <= min(2, max(1, $0.name.utf8.count / 3)) }
    return close.min { $0.distance < $1.distance }?.name
}

/// How many letters must be changed, added, left out or swapped with their neighbour to make one text the other.
private func editDistance(_ from: [UInt8], _ to: [UInt8]) -> Int {
    var rows = [Array(0...to.count)]
    for (row, letter) in from.enumerated() {
        var next = [row + 1]
        for (column, other) in to.enumerated() {
            let changed = rows[row][column] + (letter == other ? 0 : 1)
            var best = min(changed, rows[row][column + 1] + 1, next[column] + 1)
            if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
                best = min(best, rows[row - 1][column - 1] + 1)
            }
            next.append(best)
        }
        rows.append(next)
    }
    return rows[from.count][to.count]
}
