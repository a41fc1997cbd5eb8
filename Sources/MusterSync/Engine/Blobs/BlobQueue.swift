internal import MusterModel

/// The missing blobs that are not active, in the order in which they are fetched: by class; within
/// a class certificates in turn; of one certificate in the order in which it listed them. A blob
/// that several certificates list waits in the line of each.
struct BlobQueue: Sendable {
  private struct Place: Comparable {
    let number: Int64
    let blob: BlobID

    static func < (left: Place, right: Place) -> Bool {
      (left.number, left.blob) < (right.number, right.blob)
    }
  }

  private var lines: [BlobGoal: [CertificateHash: [Place]]] = [:]
  /// The turns of each waiting blob.
  private var turns: [BlobID: [BlobTurn]] = [:]
  /// The certificate that was served last in each class.
  private var served: [BlobGoal: CertificateHash] = [:]

  /// How many blobs wait.
  var count: Int { turns.count }

  /// Adds a blob in the line of each certificate that lists it, or moves it to other lines.
  mutating func add(_ entry: BlobEntry) {
    let waiting = entry.waitingTurns
    guard turns[entry.id] != waiting else { return }
    remove(entry)
    turns[entry.id] = waiting
    for turn in waiting where turn.goal < .onRequest {
      let place = Place(number: turn.number, blob: entry.id)
      var line = lines[turn.goal]?[turn.certificate] ?? []
      lines[turn.goal]?[turn.certificate] = nil
      // Blobs usually arrive in order.
      let index = line.lastIndex { $0 < place }.map { $0 + 1 } ?? 0
      line.insert(place, at: index)
      lines[turn.goal, default: [:]][turn.certificate] = line
    }
  }

  mutating func remove(_ entry: BlobEntry) { remove(entry.id) }

  private mutating func remove(_ id: BlobID) {
    for turn in turns.removeValue(forKey: id) ?? [] {
      guard let line = lines[turn.goal]?[turn.certificate] else { continue }
      lines[turn.goal]?[turn.certificate] = nil
      let rest = line.first?.blob == id ? Array(line.dropFirst()) : line.filter { $0.blob != id }
      if !rest.isEmpty { lines[turn.goal]?[turn.certificate] = rest }
    }
  }

  /// Removes and returns the next blob of these classes in the line of none of the certificates
  /// `busy`.
  mutating func pop(
    _ goals: ClosedRange<BlobGoal>, except busy: Set<CertificateHash>
  ) -> BlobID? {
    for goal in BlobGoal.allCases where goals.contains(goal) && goal < .onRequest {
      guard let line = lines[goal] else { continue }
      let waiting = line.keys.filter { !busy.contains($0) }
      guard let first = waiting.min() else { continue }
      let after = served[goal].flatMap { last in waiting.filter { $0 > last }.min() }
      let certificate = after ?? first
      served[goal] = certificate
      guard let place = line[certificate]?.first else { continue }
      remove(place.blob)
      return place.blob
    }
    return nil
  }
}
