import MusterCrypto
import MusterModel

@testable import MusterSync

/// One device of the stage: an engine, and the little of a replica that it needs.
struct Actor: Sendable {
  let local: LocalDevice
  let endpoint: Endpoint
  private var engine: SyncEngine
  /// Something came that was more than turned away.
  var hasActed = false

  static func endpoint(_ number: UInt8) -> Endpoint {
    guard let endpoint = Endpoint(address: [10, 0, 0, number], port: 7474) else {
      preconditionFailure("four bytes are an address")
    }
    return endpoint
  }

  static func enrolled(
    _ role: Role, root: SigningKey, networkKey: SealingKey, random: inout DeterministicRandom
  ) -> LocalDevice {
    let operation = OperationID(rootKey: root.publicKey)
    let (signing, agreement) = (random.signingKey(), random.agreementKey())
    let certificate = SignedCertificate(
      Certificate(
        operation: operation, issuer: .root,
        user: UserID(operation: operation, firstDeviceKey: signing.publicKey),
        signingKey: signing.publicKey, agreementKey: agreement.publicKey, role: role),
      signedBy: root)
    let device = LocalDevice(
      operationName: "Fuzz", rootKey: root.publicKey, networkKey: networkKey,
      signingKey: signing, agreementKey: agreement, chain: [certificate])
    guard let device else { preconditionFailure("a chain that does not hold") }
    return device
  }

  init(_ local: LocalDevice, number: UInt8, roster: Roster, now: Instant) {
    self.local = local
    endpoint = Self.endpoint(number)
    engine = SyncEngine(
      local: local, incarnation: Incarnation(raw: Bytes16(high: 1, low: UInt64(number))),
      announceCounter: 0, roster: roster, logs: [], records: [], epochKeys: [],
      seed: [UInt8](repeating: number, count: 32), now: Self.clock(now))
  }

  /// Its wall clock is right.
  private static func clock(_ now: Instant) -> ClockReading {
    ClockReading(
      instant: now, wall: Timestamp(milliseconds: 1_800_000_000_000 + now.microseconds / 1000),
      boot: now.microseconds / 1000, entropy: .zero)
  }

  var nextDeadline: Instant? { engine.nextDeadline }

  func hasSession(with other: Actor) -> Bool {
    engine.liveSession(of: other.local.device) != nil
  }

  mutating func receive(_ bytes: [UInt8], from endpoint: Endpoint, now: Instant) -> [[UInt8]] {
    handle(.datagram(bytes, from: endpoint, link: .unknown), now: now)
  }

  /// Carries out the engine's effects, and returns the datagrams that it sends.
  mutating func handle(_ input: Input, now: Instant) -> [[UInt8]] {
    var sent: [[UInt8]] = []
    var inputs = [input]
    while !inputs.isEmpty {
      for effect in engine.handle(inputs.removeFirst(), now: Self.clock(now)) {
        switch effect {
        case .send(let bytes, let destination):
          precondition(
            bytes.count <= Limits.largestDatagramBytes, "a datagram of \(bytes.count) bytes")
          if case .endpoint = destination { sent.append(bytes) }
        case .fetch(let request): inputs.append(.fetched(request, []))
        case .fetchUnit(let request): inputs.append(.fetchedUnit(request, nil))
        case .admit(let ticket): inputs.append(.joinAnswered(ticket, .refused("no")))
        case .store, .notice: break
        }
        if case .notice(.rejected) = effect {} else { hasActed = true }
      }
      engine.checkInvariants()
    }
    return sent
  }

  /// The bytes as the plaintext of a datagram of this device's session with another.
  mutating func sealed(_ bytes: [UInt8], for other: Actor) -> [UInt8]? {
    guard bytes.count <= packetBytes, let session = engine.liveSession(of: other.local.device)
    else { return nil }
    return engine.sessions[session]?.seal(bytes)
  }

  /// The bytes as an announce's contents, properly signed and sealed.
  func announced(_ bytes: [UInt8]) -> [UInt8]? {
    var signed = WireSignedAnnounce()
    signed.content = .init(bytes)
    let rules = [RulesVersion.current.raw]
    signed.signature = .init(local.signingKey.sign(Tag.announce + rules + bytes).bytes)
    let nonce = Nonce24(bytes: [UInt8](repeating: 3, count: 24))
    guard let nonce else { return nil }
    let sealed = local.networkKey.sealBody(
      signed.bytes, drawn: nonce, additionalData: Tag.announce + local.operation.bytes + rules)
    let datagram = [DatagramKind.announce.rawValue] + rules + sealed
    return datagram.count <= Limits.datagramBytes ? datagram : nil
  }

  /// Returns a bundle whose pieces are taken from these bytes, each preceded by its length in two
  /// bytes.
  func bundle(of bytes: [UInt8]) -> [UInt8] {
    let form = BundleForm(of: local, salt: Bytes16(high: 5, low: 6))
    var file = form.header
    var rest = bytes[...]
    var number: UInt64 = 0
    while rest.count >= 2, number < 32 {
      let length = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
      let plaintext = Array(rest.prefix(length % 60_000))
      rest = rest.dropFirst(plaintext.count)
      guard !plaintext.isEmpty, let nonce = Nonce24(bytes: [UInt8](repeating: 3, count: 24)) else {
        continue
      }
      file += form.sealed(plaintext: plaintext, number: number, nonce: nonce)
      number += 1
    }
    return file
  }

  /// All that can be read of a bundle.
  func carried(in file: [UInt8]) -> [BundleItem] {
    guard var reader = BundleReader(file, at: [], of: local) else { return [] }
    var carried: [BundleItem] = []
    do throws(BundleReader.Fault) {
      while let piece = try reader.next() {
        if case .contents(let contents) = piece { carried += contents }
      }
    } catch {
      // What was whole before it counts.
    }
    precondition(reader.consumed <= file.count, "\(reader.consumed) of \(file.count) bytes")
    return carried
  }
}
