import MusterCrypto
import MusterModel
import MusterSync
import TestSupport
import Testing

@testable import MusterReplica

/// The incremental control plane equals a complete evaluation (`Reference`), after each frame of
/// random histories in random orders.
@Suite("The control plane and its reference")
struct ControlDifferenceTests {
  private struct Speaker {
    let key: SigningKey
    let certificate: SignedCertificate?
    var logs: [(id: LogID, opening: Opening, last: UInt64)] = []
  }

  private struct Statement {
    let operations: [MusterSync.Operation]
    let frame: Frame
    let opening: Opening
  }

  private struct History {
    var draw: SplitMix64
    var random: DeterministicRandom
    let root: SigningKey
    let operation: OperationID
    var speakers: [Speaker] = []
    var statements: [Statement] = []
    var epochs: [EpochID] = []
    var revocations: [FrameHash] = []

    init(seed: UInt64) {
      draw = SplitMix64(seed: seed)
      random = DeterministicRandom(
        seed: (0..<32).map { UInt8(truncatingIfNeeded: seed >> (8 * UInt64($0 % 8))) })
      root = random.signingKey()
      operation = OperationID(rootKey: root.publicKey)
      add(root, nil)
    }

    mutating func add(_ key: SigningKey, _ certificate: SignedCertificate?) {
      speakers.append(Speaker(key: key, certificate: certificate))
      openLog(of: speakers.count - 1)
    }

    mutating func openLog(of speaker: Int) {
      let opening = Opening(
        certificate: speakers[speaker].certificate?.hash ?? .root,
        incarnation: Incarnation(raw: random.bytes16()), generation: 1, lane: .control)
      speakers[speaker].logs.append((LogID(operation: operation, opening: opening), opening, 0))
    }

    mutating func certify(by issuer: Int) -> MusterSync.Operation {
      let roles: [Role] = [.command, .command, .command, .member, .relay]
      let known = speakers[draw.number(below: speakers.count)].key
      let key = draw.number(below: 6) == 0 ? known : random.signingKey()
      let signed = SignedCertificate(
        Certificate(
          operation: operation, issuer: speakers[issuer].certificate?.hash ?? .root,
          user: UserID(operation: operation, firstDeviceKey: key.publicKey),
          signingKey: key.publicKey, agreementKey: random.agreementKey().publicKey,
          role: roles[draw.number(below: roles.count)]), signedBy: speakers[issuer].key)
      add(key, signed)
      return .certificate(signed)
    }

    mutating func revoke() -> MusterSync.Operation {
      let target = speakers[draw.number(below: speakers.count)]
      var cuts: [Head] = []
      for log in target.logs where draw.number(below: 3) > 0 {
        let sequence = UInt64(draw.number(below: Int(log.last) + 2))
        cuts.append(Head(log: log.id, sequence: sequence, hash: FrameHash(raw: .zero)))
      }
      let device = target.certificate?.certificate.device
      return .revocation(Revocation(device: device ?? DeviceID(raw: random.bytes16()), cuts: cuts))
    }

    mutating func announce() -> MusterSync.Operation {
      func known(_ draw: inout SplitMix64) -> EpochID? {
        epochs.isEmpty ? nil : epochs[draw.number(below: epochs.count)]
      }
      let new = EpochID(raw: random.bytes16())
      let id = draw.number(below: 6) == 0 ? known(&draw) ?? new : new
      let base = draw.number(below: 2) == 0 ? known(&draw) : nil
      epochs.append(id)
      // A later one may be announced as its base.
      let unknown = EpochID(raw: random.bytes16())
      if draw.number(below: 8) == 0 { epochs.append(unknown) }
      let namesAll = draw.number(below: 2) == 0
      var excludes = revocations.filter { _ in namesAll || draw.number(below: 2) == 0 }
      if draw.number(below: 10) == 0 { excludes.append(hash()) }
      let generations: [UInt32] = [UInt32(draw.number(below: 4)), 300, .max]
      return .epoch(
        EpochAnnouncement(
          id: id, generation: generations[draw.number(below: 9) / 4],
          base: draw.number(below: 10) == 0 ? unknown : base, excludes: excludes, sealed: []))
    }

    mutating func hash() -> FrameHash {
      FrameHash(raw: Bytes32(prefix: random.bytes16(), suffix: .zero))
    }

    mutating func say(by speaker: Int) {
      let log = draw.number(below: speakers[speaker].logs.count)
      let operation: MusterSync.Operation
      switch draw.number(below: 14) {
      case 0...3: operation = certify(by: speaker)
      case 4...6: operation = revoke()
      case 7...10: operation = announce()
      case 11:
        let head = Head(log: speakers[0].logs[0].id, sequence: 1, hash: FrameHash(raw: .zero))
        operation = .release(Release(frames: [head]))
      case 12:
        guard let uplink = UplinkCertificate(der: [UInt8(draw.number(below: 6))]) else { return }
        operation = .uplink(uplink)
      default: return openLog(of: speaker)
      }
      speakers[speaker].logs[log].last += 1
      let (id, opening, sequence) = speakers[speaker].logs[log]
      let frame = Frame(
        log: id, sequence: sequence, previous: .none, epoch: nil, body: [], hash: hash(),
        signature: nil)
      if case .revocation = operation { revocations.append(frame.hash) }
      statements.append(Statement(operations: [operation], frame: frame, opening: opening))
    }

    /// All statements, those of each log in sequence.
    mutating func shuffled() -> [Statement] {
      var queues = Dictionary(grouping: statements, by: \.frame.log).sorted { $0.key < $1.key }
        .map { Array($0.value.reversed()) }
      var order: [Statement] = []
      while !queues.isEmpty {
        let index = draw.number(below: queues.count)
        if let next = queues[index].popLast() {
          order.append(next)
        } else {
          queues.remove(at: index)
        }
      }
      return order
    }

    /// A certificate chain that a peer presents.
    mutating func chain() -> [SignedCertificate] {
      var next = speakers[draw.number(below: speakers.count)].certificate
      var chain: [SignedCertificate] = []
      while let signed = next {
        chain.append(signed)
        next = speakers.first { $0.certificate?.hash == signed.certificate.issuer }?.certificate
      }
      return CertificateChain(chain, operation: operation, rootKey: root.publicKey)?.certificates
        ?? []
    }

    /// A forked log, with more branches than count, or fewer.
    mutating func lineage() -> Lineage {
      let log = speakers[draw.number(below: speakers.count)].logs[0]
      let head = Head(log: log.id, sequence: 1, hash: FrameHash(raw: .zero))
      let tips = (0..<2 + draw.number(below: 9)).map { _ in
        LogSummary(
          opening: log.opening,
          head: Head(log: LogID(raw: random.bytes16()), sequence: 3, hash: FrameHash(raw: .zero)),
          base: StrandBase(
            log: log.id, parent: log.id, first: 2, previous: FrameHash(raw: .zero)))
      }
      return Lineage(
        [LogSummary(opening: log.opening, head: head, isParted: true)] + tips,
        ends: tips.count > Limits.branchesPerLog ? [log.id: 1] : [:], overflowed: [])
    }
  }

  private func check(
    _ plane: ControlPlane, _ reference: Reference.ControlEvaluation, _ seed: UInt64
  ) {
    let state = plane.state
    #expect(state.admitted.mapValues(\.rank) == reference.admitted.mapValues(\.rank), "\(seed)")
    #expect(state.cuts == reference.cuts, "\(seed)")
    #expect(state.released == reference.released, "\(seed)")
    #expect(
      state.revocations.mapValues { Set($0) } == reference.revocations.mapValues { Set($0) },
      "\(seed)")
    #expect(state.uplinks == reference.uplinks, "\(seed)")
    #expect(plane.ledger.announced == reference.announced, "\(seed)")
    #expect(plane.ledger.withheld == reference.withheld, "\(seed)")
    #expect(plane.ledger.fitting == reference.fitting, "\(seed)")
    #expect(plane.ledger.bestFitting?.announcement.id == reference.fitting.first, "\(seed)")
    #expect(
      plane.epochs.ordered { _ in true } == reference.epochs.ordered { _ in true }, "\(seed)")
    for id in reference.epochs.ids { #expect(plane.epochs[id] == reference.epochs[id], "\(seed)") }
  }

  @Test(arguments: 1...80)
  func `each further frame gives the result of a complete evaluation`(number: Int) {
    let seed = UInt64(number)
    var history = History(seed: seed)
    for _ in 0..<15 + history.draw.number(below: 40) {
      history.say(by: history.draw.number(below: history.speakers.count))
    }
    let rules = Reference.ControlEvaluation.Rules(
      operation: history.operation, rootKey: history.root.publicKey, ownChain: [])
    var plane = ControlPlane(
      operation: history.operation, rootKey: history.root.publicKey, ownChain: nil)
    var (logs, held, lineage) = ([LogID: Reference.ControlLog](), Set<FrameHash>(), Lineage())
    var signatures = VerifiedSignatures()
    for statement in history.shuffled() {
      plane.add(statement.operations, of: statement.frame, in: statement.opening)
      logs[
        statement.frame.log,
        default: Reference.ControlLog(certificate: statement.opening.certificate)
      ].add(
        statement.operations, sequence: statement.frame.sequence, hash: statement.frame.hash)
      for case .revocation in statement.operations { held.insert(statement.frame.hash) }
      if history.draw.number(below: 8) == 0 { _ = plane.add(chain: history.chain()) }
      if history.draw.number(below: 25) == 0 {
        lineage = history.lineage()
        plane.take(lineage)
      }
      if history.draw.number(below: 4) == 0 { continue }
      _ = plane.evaluate()
      let reference = Reference.ControlEvaluation(
        logs, rules: rules, shown: plane.shownCertificates, heard: held, lineage: lineage,
        signatures: &signatures)
      check(plane, reference, seed)
    }
  }
}
