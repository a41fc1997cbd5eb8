internal import MusterModel
internal import MusterSync

/// The decisions of the councils that count: a function of the held endorsements and votes. It does
/// not depend on ranks, cuts or control logs.
struct CouncilDecision: Hashable, Sendable {
  /// Devices that only the root key or votes can revoke.
  private(set) var members: Set<DeviceID> = []
  /// The parts that still count of the devices that a quorum revokes.
  private(set) var revoked: [DeviceID: Remainder] = [:]
  /// The councils that revoke each device by quorum, in ascending order.
  private(set) var councils: [DeviceID: [CouncilHash]] = [:]

  /// The part of a revoked device's data that still counts.
  struct Remainder: Hashable, Sendable {
    /// The last sequence that counts of each log or strand; other logs do not count.
    var last: [LogID: UInt64]
    /// The certificates that the device issued and that count.
    var kept: Set<CertificateHash>
  }

  init() {}

  init(_ set: CouncilSet, lineage: Lineage) {
    let current = set.current
    for (hash, council) in current {
      members.formUnion(council.members.compactMap(set.device))
      tally(set, hash, council, lineage) { _ in true }
    }
    // A replaced council decides only about devices that the root keeps revoked.
    let stays = Set(current.flatMap(\.council.stays))
    guard !stays.isEmpty else { return }
    for (hash, council) in set.replaced {
      tally(set, hash, council, lineage) { stays.contains($0) }
    }
  }

  private mutating func tally(
    _ set: CouncilSet, _ hash: CouncilHash, _ council: Council, _ lineage: Lineage,
    where isConcerned: (DeviceID) -> Bool
  ) {
    for device in set.targets(in: hash) where isConcerned(device) {
      var voices: [UserID: Remainder] = [:]
      for member in council.members {
        let ballot = CouncilSet.Ballot(
          seat: CouncilSet.Seat(council: hash, member: member), device: device)
        guard let user = set.listed[member]?.signed.certificate.user,
          let voice = set.voice(on: ballot)
        else { continue }
        let left = Remainder(voice, lineage)
        voices[user] = voices[user].map { $0.intersection(left) } ?? left
      }
      guard voices.count >= council.quorum else { continue }
      let left = Remainder(leftBy: Array(voices.values), quorum: council.quorum)
      revoked[device] = revoked[device].map { $0.intersection(left) } ?? left
      councils[device, default: []].append(hash)
    }
  }

  /// The marks that epochs name to exclude the revoked devices, with the devices.
  var marks: [FrameHash: DeviceID] {
    councils.reduce(into: [:]) { marks, entry in
      for council in entry.value {
        marks[FrameHash(votedBy: council, against: entry.key)] = entry.key
      }
    }
  }
}

extension CouncilDecision.Remainder {
  /// Creates the part that one vote leaves.
  init(_ voice: CouncilSet.Voice, _ lineage: Lineage) {
    switch voice {
    case .excludesAll: self.init(last: [:], kept: [])
    case .leaves(let revocations):
      let each = revocations.map { revocation in
        Self(last: lineage.reach(of: revocation.cuts), kept: Set(revocation.keeps ?? []))
      }
      guard let first = each.first else {
        self.init(last: [:], kept: [])
        return
      }
      self = each.dropFirst().reduce(first) { $0.intersection($1) }
    }
  }

  /// Creates the part that fewer than `quorum` votes exclude, of at least `quorum` votes.
  init(leftBy voices: [Self], quorum: Int) {
    var last: [LogID: UInt64] = [:]
    for log in Set(voices.flatMap(\.last.keys)) {
      // The `quorum`-th lowest sequence: fewer votes than a quorum exclude the frames up to it.
      let ends = voices.map { $0.last[log] }.sorted { left, right in
        guard let right else { return false }
        return left.map { $0 < right } ?? true
      }
      if let end = ends[quorum - 1] { last[log] = end }
    }
    let certificates = Set(voices.flatMap(\.kept))
    self.init(
      last: last,
      kept: certificates.filter { certificate in
        voices.count { !$0.kept.contains(certificate) } < quorum
      })
  }

  func intersection(_ other: Self) -> Self {
    let shared = last.compactMap { log, end in
      other.last[log].map { (log, min(end, $0)) }
    }
    return Self(
      last: Dictionary(uniqueKeysWithValues: shared), kept: kept.intersection(other.kept))
  }
}
