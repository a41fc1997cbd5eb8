internal import MusterModel

/// The missing blobs that are not active, in the order in which they are fetched: by class; within
/// a class certificates in turn; of one certificate in the order in which they were listed.
struct BlobQueue: Sendable {
  private struct Place: Comparable {
    let number: Int64
    let blob: BlobID

    static func < (left: Place, right: Place) -> Bool {
      (left.number, left.blob) < (right.number, right.blob)
    }
  }

  private var lines: [BlobGoal: [CertificateHash: [Place]]] = [:]
  private var goals: [BlobID: BlobGoal] = [:]
  /// The certificate that was served last in each class.
  private var served: [BlobGoal: CertificateHash] = [:]

  /// How many blobs wait.
  var count: Int { goals.count }

  /// Adds a blob, or moves it to another class.
  mutating func add(_ entry: BlobEntry) {
    guard goals[entry.id] != entry.goal else { return }
    remove(entry)
    goals[entry.id] = entry.goal
    let place = Place(number: entry.number, blob: entry.id)
    var line = lines[entry.goal]?[entry.certificate] ?? []
    lines[entry.goal]?[entry.certificate] = nil
    // Blobs usually arrive in order.
    let index = line.lastIndex { $0 < place }.map { $0 + 1 } ?? 0
    line.insert(place, at: index)
    lines[entry.goal, default: [:]][entry.certificate] = line
  }

  mutating func remove(_ entry: BlobEntry) {
    guard let goal = goals.removeValue(forKey: entry.id) else { return }
    lines[goal]?[entry.certificate]?.removeAll { $0.blob == entry.id }
    if lines[goal]?[entry.certificate]?.isEmpty == true { lines[goal]?[entry.certificate] = nil }
  }

  /// Removes and returns the next blob of these classes, of none of the certificates `busy`.
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
      lines[goal]?[certificate]?.removeFirst()
      if lines[goal]?[certificate]?.isEmpty == true { lines[goal]?[certificate] = nil }
      self.goals[place.blob] = nil
      return place.blob
    }
    return nil
  }
}
