/// The name that a person most likely meant by one that does not exist.
enum Suggestion {
  /// Returns the candidate with the least edit distance; nil if none is close.
  static func nearest(to text: String, in candidates: some Sequence<String>) -> String? {
    let typed = Array(text.lowercased())
    let most = max(1, typed.count / 3)
    let near = candidates.map { name in
      let letters = Array(name.lowercased())
      let begins = typed.count >= 2 && letters.starts(with: typed)
      return (name: name, distance: begins ? 1 : distance(typed, letters))
    }
    let best = near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return best.flatMap { $0.distance <= most ? $0.name : nil }
  }

  /// The optimal string alignment distance: insertions, deletions, substitutions and swaps of
  /// neighbours (Damerau 1964).
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var rows = [Array(0...b.count)]
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        var least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          least = min(least, rows[i - 2][j - 2] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
