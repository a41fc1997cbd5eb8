internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What revocations and votes leave of a device.
struct RevocationDraft {
  let store: Store
  let control: ControlPlane

  /// So many kept certificates and cuts together fit an operation of a control frame.
  private static let certificatesKeptByRevocation = 1000
  private static let cutsBesideCertificates = 448

  /// Whether only votes, or the root key, revoke a device.
  func needsVotes(_ device: DeviceID) -> Bool {
    control.state.councils.members.contains(device)
  }

  /// Rejects a revocation that would not count, or that would leave no commander.
  func check(_ device: DeviceID, by author: DeviceID) throws(Refusal) {
    guard let rank = control.rank(of: device) else {
      throw Refusal("no device \(device.short) is known here: see muster device list")
    }
    guard let own = control.rank(of: author), own <= rank || needsVotes(device) else {
      throw Refusal(
        "device \(device.short) is nearer to the root than this one: only a device of rank "
          + "\(rank) or less may revoke it")
    }
    guard !control.isRevoked(device) else {
      throw Refusal("device \(device.short) is already revoked: nothing is to be done")
    }
    let others = control.commanders.filter { $0.certificate.device != author }
    guard device != author || !others.isEmpty else {
      throw Refusal(
        "this is the only command device: without it no device could be admitted or revoked; admit "
          + "another command device first", .notAllowed)
    }
  }

  /// Returns a revocation that leaves everything of a device that is held here.
  ///
  /// Its oldest logs are named, of a forked log the newest frame of every branch. A log that is not
  /// named is cut at zero, so a device with more logs than a revocation can name is fully revoked
  /// nevertheless. A log with only its opening has no content and is omitted. A thief opens logs
  /// after the owner did, so the earliest logs are named.
  func revocation(of device: DeviceID) throws(StoreError) -> Revocation {
    let logs = try logs(of: device)
    let issued = control.issued(by: device, in: logs.map(\.head.log))
    // Of more certificates than fit, those in the frames that are left count.
    let isNamed = !issued.isEmpty && issued.count <= Self.certificatesKeptByRevocation
    let cuts = logs.prefix(isNamed ? Self.cutsBesideCertificates : Limits.cutsPerRevocation)
      .map { Head(log: $0.log, sequence: $0.head.sequence, hash: $0.head.hash) }
    return Revocation(device: device, cuts: cuts, keeps: isNamed ? issued : nil)
  }

  /// Returns what a vote leaves: the same, but of control logs only the frames before the first
  /// revocation of a council member. It has no effect, and an honest commander votes instead, so a
  /// thief wrote it and what follows.
  ///
  /// Capped so that the vote is always accepted: of more logs or certificates the earliest are
  /// named.
  func votedRevocation(of device: DeviceID) throws(StoreError) -> Revocation {
    let hostile = control.hostilities(of: device)
    let logs = try logs(of: device)
    var cuts: [Head] = []
    for log in logs {
      guard let first = hostile[log.head.log], first <= log.head.sequence else {
        cuts.append(Head(log: log.log, sequence: log.head.sequence, hash: log.head.hash))
        continue
      }
      guard first > max(1, log.first) else { continue }
      let before = try store.frames(
        log: log.head.log, from: first - 1, maxBytes: .max, maxFrames: 1)
      guard let last = before.first, last.sequence == first - 1 else { continue }
      cuts.append(Head(log: log.log, sequence: last.sequence, hash: last.hash))
    }
    let issued = control.issued(by: device, in: logs.map(\.head.log), before: hostile)
    return Revocation(
      device: device, cuts: Array(cuts.prefix(Limits.cutsPerVote)),
      keeps: Array(issued.prefix(Limits.keptCertificates)))
  }

  /// The logs of a device with content, in order of arrival, of a forked log its branches.
  private func logs(of device: DeviceID) throws(StoreError) -> [LogSummary] {
    try store.logsByArrival().filter { log in
      control.author(of: log.opening.certificate)?.device == device && !log.isParted
        && log.head.sequence > 0
    }
  }
}
