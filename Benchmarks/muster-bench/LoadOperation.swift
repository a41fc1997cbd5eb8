import Foundation
import MusterCrypto
import MusterModel
import MusterNode
import MusterReplica
import MusterStore
import MusterSync
import MusterTransport

/// One operation of a load test. Device 0 founded it and writes reports; device 1, at the second
/// instance, shows what is on a map. Both are whole replicas. All other devices are sessions that
/// begin with what device 0 holds, as after a memory stick.
struct LoadOperation: Sendable {
  let author: LoadDevice
  let observer: LoadDevice
  private let members: [Credentials]
  private let targets: [UplinkTarget]
  private let seed: [UInt8]

  /// Founds an operation, admits all devices, and makes a home for each instance on disk.
  init(number: Int, of bench: UplinkBench) throws {
    var seeds = DeterministicRandom(
      seed: [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: 30))
    let genesis = Genesis(
      operationName: "load \(number)", seed: seeds.bytes(32), now: SystemClock.wall)
    let store = try Store.inMemory()
    try genesis.store(in: store)
    var founder = try Replica(
      store: store, credentials: genesis.credentials, start: .startsIncarnation(above: 0),
      seed: seeds.bytes(32), systemBoot: [0], now: SystemClock.reading)
    _ = try founder.rotateEpoch(now: SystemClock.reading)
    _ = try founder.write(PersonRequests.setCallsign("Device 0"), now: SystemClock.reading)
    for instance in bench.port.indices {
      try Self.enrol(
        instance, at: "\(bench.folder)/\(instance)", named: "\(number)", by: &founder)
    }
    let findings = VerifiedSignatures()
    var members: [Credentials] = []
    var second: Replica?
    for index in 1..<bench.devices {
      let enrolment = Enrolment(seed: seeds.bytes(32))
      let request = try enrolment.request(
        callsign: "Device \(index)", passphrase: nil, seed: seeds.bytes(32)
      ).request
      let admitted = try founder.admit(request: request, role: .member, now: SystemClock.reading)
      let (credentials, keys) = try enrolment.join(grant: admitted.grant)
      if second != nil {
        members.append(credentials.sharing(findings))
      } else {
        var replica = try Replica(
          store: try .inMemory(), credentials: credentials, start: .startsIncarnation(above: 0),
          seed: seeds.bytes(32), systemBoot: [1], now: SystemClock.reading)
        _ = try replica.keep(keys, now: SystemClock.reading)
        _ = try replica.write(
          PersonRequests.setCallsign("Device 1"), now: SystemClock.reading)
        second = replica
      }
    }
    guard let second else { throw ExitStatus(description: "an operation has two devices") }
    targets = try bench.port.map { try UplinkTarget("https://127.0.0.1:\($0)") }
    author = LoadDevice(
      LoadDevice.Handover(replica: founder), number: 0, at: targets[0], isObserver: false)
    observer = LoadDevice(
      LoadDevice.Handover(replica: second), number: 1, at: targets[1 % targets.count],
      isObserver: true)
    self.members = members
    seed = seeds.bytes(32)
  }

  /// Makes a home of a device of role archive.
  private static func enrol(
    _ instance: Int, at path: String, named name: String, by founder: inout Replica
  ) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let home = NodeHome.locate(
      home: "\(path)/\(name)", keys: nil, environment: ProcessInfo.processInfo.environment)
    let request = try Founding.request(
      callsign: "Archive \(instance)", home: home, passphrase: nil)
    let admitted = try founder.admit(request: request, role: .archive, now: SystemClock.reading)
    _ = try Founding.join(grant: admitted.grant, home: home, confirm: { _ in }) { [] }
  }

  /// Whether both whole replicas, at two instances, hold the same.
  func agrees() async -> Bool {
    guard await author.isConnected, await observer.isConnected else { return false }
    let root = await author.root
    return await observer.root == root
  }

  /// Returns all other devices, which hold what device 0 holds now.
  ///
  /// - Parameter arePublishing: whether they have positions to publish.
  func sessions(arePublishing: Bool) async -> [LoadSession] {
    var seeds = DeterministicRandom(seed: seed)
    let prototype = await author.engine
    var sessions: [LoadSession] = []
    for (index, credentials) in members.enumerated() {
      let number = index + 2
      let engine = SyncEngine(
        credentials.local, holdingAsMuchAs: prototype,
        incarnation: Incarnation(raw: seeds.bytes16()), seed: seeds.bytes(32),
        now: SystemClock.reading)
      let source =
        arePublishing ? await author.positions(of: credentials, seed: seeds.bytes(32)) : nil
      sessions.append(
        LoadSession(
          engine, number: number, at: targets[number % targets.count], positions: source))
    }
    return sessions
  }
}
