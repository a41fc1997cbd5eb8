import Foundation
import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
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
    /// Hashes of revocations that are written later: an author who names them first knows them.
    var planned: [FrameHash] = []
    /// Whether revocations may name what they keep, and councils are drawn.
    let hasCouncils: Bool
    var councils: [Council] = []
    /// Endorsements and votes, as they may come at any time.
    var evidence: [Evidence] = []

    enum Evidence {
      case endorsement(Endorsement)
      case vote(SignedVote)
    }

    init(seed: UInt64, hasCouncils: Bool = false) {
      self.hasCouncils = hasCouncils
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
      let keeps = hasCouncils && draw.number(below: 2) == 0 ? kept(of: target) : nil
      return .revocation(
        Revocation(
          device: device ?? DeviceID(raw: random.bytes16()), cuts: cuts, keeps: keeps))
    }

    private mutating func kept(of target: Speaker) -> [CertificateHash] {
      guard let issuer = target.certificate?.hash else { return [] }
      return speakers.compactMap(\.certificate).filter { $0.certificate.issuer == issuer }
        .map(\.hash).filter { _ in draw.number(below: 3) > 0 }
    }

    // MARK: Councils

    mutating func drawCouncil() {
      let certified = speakers.indices.filter { speakers[$0].certificate != nil }
      guard certified.count >= 3 else { return }
      var members: Set<Int> = []
      let count = min(certified.count, 3 + draw.number(below: 3))
      while members.count < count {
        members.insert(certified[draw.number(below: certified.count)])
      }
      let parent = councils.isEmpty ? nil : councils[draw.number(below: councils.count)]
      let isChild = parent != nil && draw.number(below: 4) > 0
      let council = Council(
        operation: operation, parent: isChild ? parent?.hash ?? .root : .root,
        serial: isChild ? parent?.serial ?? 1 : UInt32(1 + draw.number(below: 2)),
        members: members.sorted().compactMap { speakers[$0].certificate?.hash },
        stays: isChild ? [] : members.prefix(1).compactMap { device(of: $0) })
      guard let council else { return }
      let seats = isChild ? parent.map(seats) ?? [] : []
      let chains = (self.seats(of: council) + seats).map(chain)
      var signed = seats.filter { _ in draw.number(below: 3) > 0 }.map { speaker in
        Endorsement(
          council, by: speaker.certificate?.hash ?? .root, signedBy: speaker.key, chains: chains)
      }
      if !isChild { signed = [Endorsement(council, by: .root, signedBy: root, chains: chains)] }
      guard signed.allSatisfy({ $0.holds(operation: operation, rootKey: root.publicKey) }) else {
        return
      }
      councils.append(council)
      evidence += signed.map { .endorsement($0) }
    }

    func chain(of speaker: Speaker) -> [SignedCertificate] {
      var (chain, next) = ([SignedCertificate](), speaker.certificate)
      while let signed = next {
        chain.append(signed)
        next = speakers.first { $0.certificate?.hash == signed.certificate.issuer }?.certificate
      }
      return chain
    }

    private func device(of speaker: Int) -> DeviceID? {
      speakers[speaker].certificate?.certificate.device
    }

    private func seats(of council: Council) -> [Speaker] {
      speakers.filter { speaker in
        speaker.certificate.map { council.members.contains($0.hash) } ?? false
      }
    }

    mutating func vote() {
      guard !councils.isEmpty else { return drawCouncil() }
      let council = councils[draw.number(below: councils.count)]
      let seats = seats(of: council)
      let (voter, target) = (
        seats[draw.number(below: seats.count)], seats[draw.number(below: seats.count)]
      )
      guard let certificate = voter.certificate, let device = target.certificate?.certificate.device
      else { return }
      // Some flood.
      for _ in 0..<(draw.number(below: 12) == 0 ? 6 : 1) {
        var cuts: [Head] = []
        for log in target.logs where draw.number(below: 4) > 0 {
          cuts.append(
            Head(
              log: log.id, sequence: UInt64(draw.number(below: Int(log.last) + 2)),
              hash: FrameHash(raw: .zero)))
        }
        let vote = Vote(
          operation: operation, council: council.hash, voter: certificate.hash,
          revocation: Revocation(device: device, cuts: cuts, keeps: kept(of: target)))
        evidence.append(
          .vote(SignedVote(vote, signedBy: voter.key, chain: chain(of: voter))))
      }
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
      if draw.number(below: 6) == 0 {
        planned.append(hash())
        excludes.append(planned[planned.count - 1])
      }
      let generations: [UInt32] = [UInt32(draw.number(below: 4)), 300, .max]
      return .epoch(
        EpochAnnouncement(
          id: id, generation: generations[draw.number(below: 9) / 4],
          base: draw.number(below: 10) == 0 ? unknown : base, excludes: excludes, sealed: []))
    }

    mutating func hash() -> FrameHash {
      FrameHash(raw: Bytes32(prefix: random.bytes16(), suffix: .zero))
    }

    /// Many epochs at once, as an insider announces them: one again and again, or a chain that is
    /// longer than counts, upwards or downwards.
    mutating func flood() -> [MusterSync.Operation] {
      let kind = draw.number(below: 3)
      let count = kind == 0 ? 8 : Limits.epochBases - 4 + draw.number(below: 10)
      var ids = (0..<count).map { _ in EpochID(raw: random.bytes16()) }
      if let known = epochs.last { ids[draw.number(below: 2) * (count - 1)] = known }
      epochs += [ids[0], ids[count - 1]]
      return (0..<count).map { number in
        let base =
          switch kind {
          case 0: EpochID?.none
          case 1: number > 0 ? ids[number - 1] : nil
          default: number + 1 < count ? ids[number + 1] : nil
          }
        let named = draw.number(below: 4) == 0 ? revocations.last ?? hash() : hash()
        return .epoch(
          EpochAnnouncement(
            id: kind == 0 ? ids[0] : ids[number], generation: UInt32(draw.number(below: 4)),
            base: base, excludes: draw.number(below: 3) == 0 ? [] : [named], sealed: []))
      }
    }

    mutating func publish(by speaker: Int) {
      let log = draw.number(below: speakers[speaker].logs.count)
      switch draw.number(below: 15) {
      case 0...3: state(certify(by: speaker), by: speaker, in: log)
      case 4...6: state(revoke(), by: speaker, in: log)
      case 7...10: state(announce(), by: speaker, in: log)
      case 11:
        let head = Head(log: speakers[0].logs[0].id, sequence: 1, hash: FrameHash(raw: .zero))
        state(.release(Release(frames: [head])), by: speaker, in: log)
      case 12:
        guard let uplink = UplinkCertificate(der: [UInt8(draw.number(below: 6))]) else { return }
        state(.uplink(uplink), by: speaker, in: log)
      case 13 where draw.number(below: 4) == 0:
        for operation in flood() { state(operation, by: speaker, in: log) }
      default: openLog(of: speaker)
      }
    }

    private mutating func state(
      _ operation: MusterSync.Operation, by speaker: Int, in log: Int
    ) {
      speakers[speaker].logs[log].last += 1
      let (id, opening, sequence) = speakers[speaker].logs[log]
      var hash = hash()
      if case .revocation = operation {
        if draw.number(below: 2) == 0, let known = planned.popLast() { hash = known }
        revocations.append(hash)
      }
      let frame = Frame(
        log: id, sequence: sequence, previous: .none, epoch: nil, body: [], hash: hash,
        signature: nil)
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
      let chain = chain(of: speakers[draw.number(below: speakers.count)])
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
    #expect(plane.ledger.eligible == reference.eligible, "\(seed)")
    #expect(plane.ledger.bestEligible?.announcement.id == reference.eligible.first, "\(seed)")
    #expect(
      plane.epochs.ordered { _ in true } == reference.epochs.ordered { _ in true }, "\(seed)")
    for id in reference.epochs.ids { #expect(plane.epochs[id] == reference.epochs[id], "\(seed)") }
  }

  private static let thousandths = Volume.orUsual(2)
  /// 2,000 at full volume.
  private static let histories = 1...max(80, thousandths * 2)

  @Test(arguments: histories)
  func `each further frame gives the result of a complete evaluation`(number: Int) {
    run(seed: UInt64(number), hasCouncils: false)
  }

  @Test(arguments: histories)
  func `with councils, votes and kept certificates it does too`(number: Int) {
    run(seed: UInt64(1000 + number), hasCouncils: true)
  }

  private func history(seed: UInt64, hasCouncils: Bool) -> History {
    var history = History(seed: seed, hasCouncils: hasCouncils)
    for _ in 0..<15 + history.draw.number(below: 40) {
      history.publish(by: history.draw.number(below: history.speakers.count))
      guard hasCouncils else { continue }
      if history.draw.number(below: 8) == 0 { history.drawCouncil() }
      if history.draw.number(below: 3) == 0 { history.vote() }
    }
    return history
  }

  @Test(arguments: histories)
  func `a drawn order, frame by frame, gives the result of all at once`(number: Int) {
    let seed = UInt64(5000 + number)
    var history = history(seed: seed, hasCouncils: true)
    let lineage = history.draw.number(below: 3) == 0 ? history.lineage() : Lineage()
    var whole = plane(of: history)
    for statement in history.shuffled() {
      whole.add(statement.operations, of: statement.frame, in: statement.opening)
    }
    whole.take(lineage)
    var waiting = history.evidence
    while let index = waiting.firstIndex(where: { add($0, to: &whole) }) {
      waiting.remove(at: index)
    }
    _ = whole.evaluate()
    for _ in 0..<3 {
      var stepwise = plane(of: history)
      var waiting = history.evidence
      for statement in history.shuffled() {
        stepwise.add(statement.operations, of: statement.frame, in: statement.opening)
        if history.draw.number(below: 20) == 0 { stepwise.take(lineage) }
        if let item = waiting.indices.randomElement(using: &history.draw),
          add(waiting[item], to: &stepwise)
        {
          waiting.remove(at: item)
        }
        if history.draw.number(below: 3) > 0 { _ = stepwise.evaluate() }
      }
      stepwise.take(lineage)
      while let index = waiting.firstIndex(where: { add($0, to: &stepwise) }) {
        waiting.remove(at: index)
      }
      _ = stepwise.evaluate()
      #expect(stepwise.outcomeHash() == whole.outcomeHash(), "\(seed)")
      #expect(stepwise.state.cuts == whole.state.cuts, "\(seed)")
      #expect(stepwise.state.uplinks == whole.state.uplinks, "\(seed)")
      #expect(stepwise.ledger.announced == whole.ledger.announced, "\(seed)")
      #expect(stepwise.ledger.withheld == whole.ledger.withheld, "\(seed)")
      #expect(stepwise.ledger.eligible == whole.ledger.eligible, "\(seed)")
      #expect(stepwise.ledger.bestEligible == whole.ledger.bestEligible, "\(seed)")
      #expect(
        stepwise.membership.items.map(\.id) == whole.membership.items.map(\.id), "\(seed)")
      #expect(
        stepwise.state.controlEnds.certificates == whole.state.controlEnds.certificates
          && stepwise.state.controlEnds.ends == whole.state.controlEnds.ends, "\(seed)")
    }
  }

  private func plane(of history: History) -> ControlPlane {
    ControlPlane(
      operation: history.operation, rootKey: history.root.publicKey, ownChain: nil)
  }

  private func add(_ item: History.Evidence, to plane: inout ControlPlane) -> Bool {
    switch item {
    case .endorsement(let endorsement): plane.add(EvidenceItem(endorsement)).added != nil
    case .vote(let vote): plane.add(EvidenceItem(vote)).added != nil
    }
  }

  private func run(seed: UInt64, hasCouncils: Bool) {
    var history = history(seed: seed, hasCouncils: hasCouncils)
    let rules = Reference.ControlEvaluation.Rules(
      operation: history.operation, rootKey: history.root.publicKey, ownChain: [])
    var plane = plane(of: history)
    var (logs, held, lineage) = ([LogID: Reference.ControlLog](), Set<FrameHash>(), Lineage())
    var signatures = VerifiedSignatures()
    var waiting = history.evidence
    var councils = Reference.Councils(
      operation: history.operation, rootKey: history.root.publicKey)
    for signed in history.speakers.compactMap(\.certificate) {
      councils.certificates[signed.hash] = signed
    }
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
      for _ in 0..<(waiting.isEmpty ? 0 : history.draw.number(below: 4)) {
        guard !waiting.isEmpty else { break }
        let item = waiting.remove(at: history.draw.number(below: waiting.count))
        if !add(item, to: &plane, &councils) { waiting.append(item) }
      }
      if history.draw.number(below: 4) == 0 { continue }
      _ = plane.evaluate()
      held.formUnion(councils.decision(lineage).revocations.keys)
      let reference = Reference.ControlEvaluation(
        logs, rules: rules, shown: plane.shownCertificates, received: held, lineage: lineage,
        council: councils, signatures: &signatures)
      check(plane, reference, seed)
    }
  }

  /// False where it has to come again.
  private func add(
    _ item: History.Evidence, to plane: inout ControlPlane, _ councils: inout Reference.Councils
  ) -> Bool {
    guard add(item, to: &plane) else { return false }
    switch item {
    case .endorsement(let endorsement): councils.endorsements.insert(endorsement)
    case .vote(let vote): councils.votes.insert(vote)
    }
    return true
  }
}
