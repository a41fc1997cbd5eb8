internal import MusterModel

/// The epochs whose keys are missing, and the order in which they are requested from peers.
///
/// - Epochs that the control plane requires come first, in its order, at most
///   `Limits.wantedEpochs`.
/// - Then epochs of frames that cannot be decrypted, round robin by author, at most
///   `Limits.missingKeysPerAuthor` of each. Frames under made-up epochs therefore delay no other
///   author.
/// - An author with more has `overflowed`. The caller adds the others when one of its keys arrives.
struct MissingKeys: Sendable {
  private var wanted: [EpochID] = []
  private var ofAuthor: [CertificateHash: [EpochID]] = [:]
  private(set) var overflowed: Set<CertificateHash> = []
  /// Where the next request continues, so that every epoch gets its turn.
  private var turn = 0

  var isEmpty: Bool { wanted.isEmpty && ofAuthor.isEmpty }

  /// The largest number of epochs of one author, for tests.
  var largestShare: Int { ofAuthor.values.map(\.count).max() ?? 0 }

  func contains(_ epoch: EpochID) -> Bool {
    wanted.contains(epoch) || ofAuthor.values.contains { $0.contains(epoch) }
  }

  /// Whether an epoch of an author is requested, or the author has as many as are.
  func contains(_ epoch: EpochID, of author: CertificateHash) -> Bool {
    overflowed.contains(author) || ofAuthor[author]?.contains(epoch) ?? false
  }

  /// Replaces the epochs that the control plane requires. Returns false if they are unchanged.
  mutating func want(_ epochs: [EpochID]) -> Bool {
    #if Canary
      if isFullOfAll { return false }
    #endif
    let before = wanted
    wanted = Array(epochs.prefix(Limits.wantedEpochs))
    return wanted != before
  }

  /// Adds an epoch of an author. Returns false if the author has reached its limit.
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

  /// Removes an epoch because its key arrived.
  mutating func remove(_ epoch: EpochID) {
    wanted.removeAll { $0 == epoch }
    for (author, epochs) in ofAuthor where epochs.contains(epoch) {
      let left = epochs.filter { $0 != epoch }
      ofAuthor[author] = left.isEmpty ? nil : left
    }
  }

  /// Returns and clears the authors that overflowed and now have room again.
  mutating func takeRefillable() -> [CertificateHash] {
    let authors = overflowed.filter {
      (ofAuthor[$0]?.count ?? 0) < Limits.missingKeysPerAuthor
    }
    overflowed.subtract(authors)
    return authors.sorted()
  }

  /// Returns the next epochs to request, at most `Limits.keyRequests`, with those first that
  /// satisfy a condition.
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
