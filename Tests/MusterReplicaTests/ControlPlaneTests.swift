import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// The control plane is a function of the set of control frames: every order of arrival gives the
/// same result.
@Suite("The control plane")
struct ControlPlaneTests {
  /// Writes control logs, each with its own key.
  private struct Scribe {
    struct Speaker {
      let key: SigningKey
      let certificate: SignedCertificate?
      let log: LogID
      let opening: Opening
      var last: Frame?
    }

    struct Word {
      let operations: [MusterSync.Operation]
      let frame: Frame
      let opening: Opening
    }

    var random: DeterministicRandom
    let operation: OperationID
    var speakers: [Speaker] = []
    /// By author, in sequence.
    var words: [[Word]] = []

    init(seed: UInt8) {
      random = DeterministicRandom(seed: [UInt8](repeating: seed, count: 32))
      let root = random.signingKey()
      operation = OperationID(rootKey: root.publicKey)
      add(root, certificate: nil)
    }

    private mutating func add(_ key: SigningKey, certificate: SignedCertificate?) {
      let opening = Opening(
        certificate: certificate?.hash ?? .root, incarnation: Incarnation(raw: random.bytes16()),
        generation: 1, lane: .control)
      let log = LogID(operation: operation, opening: opening)
      speakers.append(
        Speaker(key: key, certificate: certificate, log: log, opening: opening, last: nil))
      words.append([])
    }

    /// Certifies a new device, in the issuer's log; returns its number.
    mutating func certify(_ role: Role, by issuer: Int) -> Int {
      let key = random.signingKey()
      let signed = SignedCertificate(
        Certificate(
          operation: operation, issuer: speakers[issuer].opening.certificate,
          user: UserID(operation: operation, firstDeviceKey: key.publicKey),
          signingKey: key.publicKey, agreementKey: random.agreementKey().publicKey, role: role),
        signedBy: speakers[issuer].key)
      publish([.certificate(signed)], by: issuer)
      add(key, certificate: signed)
      return speakers.count - 1
    }

    /// Revokes a device; its control log remains valid up to `sequence`.
    mutating func revoke(_ target: Int, by author: Int, after sequence: UInt64?) {
      guard let device = speakers[target].certificate?.certificate.device else { return }
      let cuts = sequence.map {
        [Head(log: speakers[target].log, sequence: $0, hash: FrameHash(raw: .zero))]
      }
      publish([.revocation(Revocation(device: device, cuts: cuts ?? []))], by: author)
    }

    mutating func publish(_ operations: [MusterSync.Operation], by author: Int) {
      let speaker = speakers[author]
      let frame = Frame.clear(
        operation: operation, log: speaker.log, sequence: (speaker.last?.sequence ?? 0) + 1,
        previous: speaker.last?.hash ?? .none, body: random.bytes(8), signedBy: speaker.key)
      speakers[author].last = frame
      words[author].append(
        Word(operations: operations, frame: frame, opening: speaker.opening))
    }

    /// Returns the result of the frames in this order of authors, each with its next frame.
    func outcome(of order: [Int]) -> (admitted: Set<DeviceID>, revoked: Set<DeviceID>, cuts: Cuts) {
      var plane = ControlPlane(
        operation: operation, rootKey: speakers[0].key.publicKey, ownChain: nil)
      var next = [Int](repeating: 0, count: words.count)
      for speaker in order {
        let word = words[speaker][next[speaker]]
        next[speaker] += 1
        plane.add(word.operations, of: word.frame, in: word.opening)
        _ = plane.evaluate()
      }
      return (
        Set(plane.admissions.map(\.signed.certificate.device)), plane.state.cuts.revoked,
        plane.state.cuts
      )
    }

    func device(_ number: Int) -> DeviceID? { speakers[number].certificate?.certificate.device }

    /// Every order that keeps the order of each log.
    func orders() -> [[Int]] {
      func extend(_ order: [Int], _ left: [Int]) -> [[Int]] {
        guard left.contains(where: { $0 > 0 }) else { return [order] }
        return left.indices.filter { left[$0] > 0 }.flatMap { speaker -> [[Int]] in
          var left = left
          left[speaker] -= 1
          return extend(order + [speaker], left)
        }
      }
      return extend([], words.map(\.count))
    }
  }

  private func agreement(_ scribe: Scribe) -> (
    admitted: Set<DeviceID>, revoked: Set<DeviceID>, orders: Int
  ) {
    let orders = scribe.orders()
    let first = scribe.outcome(of: orders[0])
    for order in orders.dropFirst() {
      let other = scribe.outcome(of: order)
      #expect(other.admitted == first.admitted && other.cuts == first.cuts, "order \(order)")
    }
    return (first.admitted, first.revoked, orders.count)
  }

  @Test func `two equals that revoke each other are both revoked, in every order`() {
    var scribe = Scribe(seed: 1)
    let ada = scribe.certify(.command, by: 0)
    let ben = scribe.certify(.command, by: 0)
    let hers = scribe.certify(.member, by: ada)
    let his = scribe.certify(.member, by: ben)
    scribe.revoke(ben, by: ada, after: 1)
    scribe.revoke(ada, by: ben, after: 0)

    let (admitted, revoked, orders) = agreement(scribe)
    #expect(orders > 50)
    #expect(revoked == Set([ada, ben].compactMap(scribe.device)))
    #expect(scribe.device(his).map(admitted.contains) == true, "certified before his cut")
    #expect(scribe.device(hers).map(admitted.contains) == false, "all of her log is cut")
  }

  @Test func `a revocation after a senior's cut-off of its author does not count`() {
    var scribe = Scribe(seed: 2)
    let senior = scribe.certify(.command, by: 0)
    let junior = scribe.certify(.command, by: senior)
    let other = scribe.certify(.command, by: senior)
    scribe.revoke(other, by: junior, after: nil)
    scribe.revoke(junior, by: senior, after: 0)

    let (_, revoked, _) = agreement(scribe)
    #expect(revoked == Set([junior].compactMap(scribe.device)))
  }

  @Test func `a certificate after a cut-off is invalid, and so are those below it`() {
    var scribe = Scribe(seed: 3)
    let ada = scribe.certify(.command, by: 0)
    let early = scribe.certify(.command, by: ada)
    let late = scribe.certify(.command, by: ada)
    let laters = scribe.certify(.member, by: late)
    scribe.revoke(ada, by: 0, after: 1)

    let (admitted, revoked, _) = agreement(scribe)
    #expect(revoked == Set([ada].compactMap(scribe.device)))
    #expect(scribe.device(early).map(admitted.contains) == true)
    #expect(scribe.device(late).map(admitted.contains) == false)
    #expect(scribe.device(laters).map(admitted.contains) == false)
  }

  @Test func `a member's revocation, and one of a senior, have no effect`() {
    var scribe = Scribe(seed: 4)
    let ada = scribe.certify(.command, by: 0)
    let ben = scribe.certify(.command, by: ada)
    let member = scribe.certify(.member, by: ada)
    scribe.revoke(ada, by: ben, after: nil)
    scribe.revoke(ben, by: member, after: nil)

    #expect(agreement(scribe).revoked.isEmpty)
  }

  @Test func `several revocations of one device leave the frames that all of them leave`() {
    var scribe = Scribe(seed: 5)
    let ada = scribe.certify(.command, by: 0)
    let ben = scribe.certify(.command, by: 0)
    let first = scribe.certify(.member, by: ben)
    let second = scribe.certify(.member, by: ben)
    scribe.revoke(ben, by: ada, after: 2)
    scribe.revoke(ben, by: 0, after: 1)

    let (admitted, _, _) = agreement(scribe)
    #expect(scribe.device(first).map(admitted.contains) == true)
    #expect(scribe.device(second).map(admitted.contains) == false)
  }

  @Test func `an epoch excludes all revoked devices, however many`() throws {
    // Given more revocations than one announcement can name
    var scribe = Scribe(seed: 6)
    for _ in 0..<Limits.excludedRevocations + 80 {
      let device = DeviceID(raw: scribe.random.bytes16())
      scribe.publish([.revocation(Revocation(device: device, cuts: []))], by: 0)
    }
    var plane = ControlPlane(
      operation: scribe.operation, rootKey: scribe.speakers[0].key.publicKey, ownChain: nil)
    for word in scribe.words[0] { plane.add(word.operations, of: word.frame, in: word.opening) }
    _ = plane.evaluate()
    #expect(plane.ledger.eligible.isEmpty)
    // When epochs are created until one is suitable
    var made = 0
    while plane.ledger.eligible.isEmpty, made < 5 {
      let id = EpochID(raw: scribe.random.bytes16())
      scribe.publish([.epoch(plane.announcement(of: id, sealed: []))], by: 0)
      let word = try #require(scribe.words[0].last)
      plane.add(word.operations, of: word.frame, in: word.opening)
      _ = plane.evaluate()
      made += 1
    }
    // Then two are enough, and a device with all revocations may send their keys.
    #expect(made == 2)
    #expect(plane.ledger.eligible.count == 1)
    #expect(plane.ledger.withheld.isEmpty)
    // and one more revocation needs one more epoch.
    scribe.publish([.revocation(Revocation(device: DeviceID(raw: .zero), cuts: []))], by: 0)
    let last = try #require(scribe.words[0].last)
    plane.add(last.operations, of: last.frame, in: last.opening)
    _ = plane.evaluate()
    #expect(plane.ledger.eligible.isEmpty)
    let announcement = plane.announcement(of: EpochID(raw: .zero), sealed: [])
    #expect(announcement.excludes == [last.frame.hash])
  }

  @Test(arguments: UInt8(10)...40)
  func `random histories have the same result in random orders`(seed: UInt8) {
    var scribe = Scribe(seed: seed)
    var draw = SplitMix64(seed: UInt64(seed))
    for _ in 0..<14 {
      let author = Int(draw.next() % UInt64(scribe.speakers.count))
      if draw.next() % 3 < 2 {
        _ = scribe.certify(draw.next() % 3 == 0 ? .member : .command, by: author)
      } else {
        let target = Int(draw.next() % UInt64(scribe.speakers.count))
        let said = scribe.speakers[target].last?.sequence ?? 0
        scribe.revoke(target, by: author, after: said == 0 ? nil : draw.next() % (said + 1))
      }
    }
    var order = scribe.words.indices.flatMap { [Int](repeating: $0, count: scribe.words[$0].count) }
    let first = scribe.outcome(of: order)
    for _ in 0..<40 {
      for index in order.indices.dropLast() {
        order.swapAt(index, index + draw.number(below: order.count - index))
      }
      let other = scribe.outcome(of: order)
      #expect(
        other.admitted == first.admitted && other.cuts == first.cuts,
        "seed \(seed), order \(order)")
    }
  }
}
