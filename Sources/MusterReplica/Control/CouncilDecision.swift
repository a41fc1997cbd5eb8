internal import MusterModel
internal import MusterSync

/// What the councils that count come to: a function of the endorsements and votes that are held. It
/// does not depend on ranks, cuts or control logs.
struct CouncilDecision: Hashable, Sendable {
  /// Devices that only the root key or votes revoke.
  private(set) var members: Set<DeviceID> = []
  /// What is left of the devices that a quorum revokes.
  private(set) var revoked: [DeviceID: Remainder] = [:]
  /// For each device that a quorum revokes, the councils that do, in ascending order.
  private(set) var councils: [DeviceID: [CouncilHash]] = [:]

  /// What still counts of a revoked device.
  struct Remainder: Hashable, Sendable {
    /// The last sequence that counts of each log or strand; of others nothing does.
    var last: [LogID: UInt64]
    /// Of the certificates that it issued, those that count.
    var kept: Set<CertificateHash>
  }

  init() {}

  init(_ set: CouncilSet, lineage: Lineage) {
    let current = set.current
    for (hash, council) in current {
      members.formUnion(council.members.compactMap(set.device))
      tally(set, hash, council, lineage) { _ in true }
    }
    // What was replaced decides about devices alone that the root keeps revoked.
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

  /// What epochs name in order to exclude the revoked devices, with the devices.
  var marks: [FrameHash: DeviceID] {
    councils.reduce(into: [:]) { marks, entry in
      for council in entry.value {
        marks[FrameHash(votedBy: council, against: entry.key)] = entry.key
      }
    }
  }
}

extension CouncilDecision.Remainder {
  /// What one voice leaves.
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

  /// What fewer than `quorum` of some voices, which are as many at least, exclude.
  init(leftBy voices: [Self], quorum: Int) {
    var last: [LogID: UInt64] = [:]
    for log in Set(voices.flatMap(\.last.keys)) {
      // The least sequence but `quorum - 1`: as many voices may exclude what follows theirs.
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
