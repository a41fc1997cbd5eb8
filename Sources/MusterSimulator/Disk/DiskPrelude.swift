internal import MusterModel
internal import MusterReplica
internal import MusterStore

/// The start of every disk trial: an operation founded by Ada, and Ben, who was admitted by file
/// and whose disk is still empty.
struct DiskPrelude {
  let ada: Credentials
  let ben: Credentials
  let benKeys: Enrolment.EpochKeys
  /// Ada's disk after the founding.
  let adaDisk: SimulatedDisk.Image

  static let file = "node.db"
  static let checkpointPages = 40

  init(seed: UInt64) throws {
    let clock = DiskStory.clock(Instant(microseconds: 0))
    let genesis = Genesis(
      operationName: "Valley", seed: Self.seed32(seed, 1), now: clock.wall)
    let disk = SimulatedDisk(seed: seed)
    let store = try disk.openStore(Self.file, checkpointPages: Self.checkpointPages)
    try genesis.store(in: store)
    var replica = try Replica(
      store: store, credentials: genesis.credentials, start: .continues, seed: Self.seed32(seed, 2),
      systemBoot: [1], now: clock)
    _ = try replica.rotateEpoch(now: clock)
    _ = try replica.write(PersonRequests.setCallsign("Ada"), now: clock)
    let fence = FenceDraft(
      name: "School", kind: .muster,
      geometry: .circle(center: DiskStory.place(metresNorth: 0), radiusCentimetres: 10_000))
    _ = try replica.write(FenceRequests.add(fence), now: clock)
    let enrolment = Enrolment(seed: Self.seed32(seed, 3))
    let request = try enrolment.request(
      callsign: "Ben", passphrase: nil, seed: Self.seed32(seed, 4)
    ).request
    let grant = try replica.admit(request: request, role: .member, now: clock).grant
    (ben, benKeys) = try enrolment.join(grant: grant)
    ada = genesis.credentials
    try store.close()
    adaDisk = disk.image()
  }

  /// Returns 32 bytes determined by the seed and a purpose.
  static func seed32(_ seed: UInt64, _ purpose: UInt64) -> [UInt8] {
    (0..<4).flatMap { index in
      withUnsafeBytes(of: (seed &* 0x9E37_79B9 &+ purpose &* 4 &+ index).bigEndian) { Array($0) }
    }
  }
}
