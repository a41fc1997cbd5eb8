internal import MusterModel

/// The epochs whose keys are missing, and the order in which peers are asked for them.
///
/// - What the control plane wants comes first, in its order, at most `Limits.wantedEpochs`.
/// - Then epochs of frames that cannot be opened, in turn by author, at most
///   `Limits.missingKeysPerAuthor` of each: frames under made-up epochs keep nobody else waiting.
/// - An author with more has `overflowed`; the caller adds others when a key of theirs has come.
struct MissingKeys: Sendable {
  private var wanted: [EpochID] = []
  private var ofAuthor: [CertificateHash: [EpochID]] = [:]
  private(set) var overflowed: Set<CertificateHash> = []
  /// Where the next request goes on, so that each has its turn.
  private var turn = 0

  var isEmpty: Bool { wanted.isEmpty && ofAuthor.isEmpty }

  /// The epochs of one author at most, for tests.
  var largestShare: Int { ofAuthor.values.map(\.count).max() ?? 0 }

  func contains(_ epoch: EpochID) -> Bool {
    wanted.contains(epoch) || ofAuthor.values.contains { $0.contains(epoch) }
  }

  /// Replaces what the control plane wanted before; false where it wants the same.
  mutating func want(_ epochs: [EpochID]) -> Bool {
    #if Canary
      if isFullOfAll { return false }
    #endif
    let before = wanted
    wanted = Array(epochs.prefix(Limits.wantedEpochs))
    return wanted != before
  }

  /// False where the author has as many as it may.
  mutating func add(_ epoch: EpochID, of author: CertificateHash) -> Bool {
    var epochs = ofAuthor[author] ?? []
    guard !epochs.contains(epoch) else { return true }
    #if Canary
      if isFullOfAll { return false }
    #endif
    guard epochs.count < Limits.missingKeysPerAuthor else {
      overflowed.insert(author)
      return false
    }
    epochs.append(epoch)
    ofAuthor[author] = epochs
    return true
  }

  #if Canary
    private var isFullOfAll: Bool {
      Canary.globalMissingKeys.isPlanted
        && ofAuthor.values.reduce(0) { $0 + $1.count } >= Limits.missingKeysPerAuthor
    }
  #endif

  /// The key has come.
  mutating func remove(_ epoch: EpochID) {
    wanted.removeAll { $0 == epoch }
    for (author, epochs) in ofAuthor where epochs.contains(epoch) {
      let left = epochs.filter { $0 != epoch }
      ofAuthor[author] = left.isEmpty ? nil : left
    }
  }

  /// Authors with room again of whose epochs some were left out; they count as asked for now.
  mutating func takeRefillable() -> [CertificateHash] {
    let authors = overflowed.filter {
      (ofAuthor[$0]?.count ?? 0) < Limits.missingKeysPerAuthor
    }
    overflowed.subtract(authors)
    return authors.sorted()
  }

  /// What to ask for next: `Limits.keyRequests` at most, those first that satisfy a condition.
  mutating func nextRequests(first isUrgent: (EpochID) -> Bool) -> [EpochID] {
    var requests = wanted
    var others: [EpochID] = []
    for round in 0..<Limits.missingKeysPerAuthor {
      for author in ofAuthor.keys.sorted() {
        guard let epochs = ofAuthor[author], round < epochs.count else { continue }
        others.append(epochs[round])
      }
    }
    var seen = Set(requests)
    others = others.filter { seen.insert($0).inserted }
    let urgent = others.filter(isUrgent)
    let rest = others.filter { !isUrgent($0) }
    for group in [urgent, rest] where !group.isEmpty {
      let start = turn % group.count
      requests += group[start...] + group[..<start]
    }
    turn &+= Limits.keyRequests / 2
    return Array(requests.prefix(Limits.keyRequests))
  }
}
