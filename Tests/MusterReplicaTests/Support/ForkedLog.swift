import MusterCrypto
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// A control log that a device with valid keys forks as it likes, frame by frame.
struct ForkedLog {
  let opening: Opening
  let log: LogID
  /// From the opening on, one branch.
  private(set) var frames: [Frame]
  private let operation: OperationID
  private let credentials: Credentials
  private var random: DeterministicRandom

  /// The opening and one frame with a certificate for each of `count` made-up members.
  init(by credentials: Credentials, count: Int, seed: UInt8) {
    self.credentials = credentials
    operation = credentials.local.operation
    random = DeterministicRandom(seed: [UInt8](repeating: seed, count: 32))
    opening = Opening(
      certificate: credentials.certificate, incarnation: Incarnation(raw: random.bytes16()),
      generation: 1, lane: .control)
    log = LogID(operation: operation, opening: opening)
    frames = [
      Frame.clear(
        operation: operation, log: log, sequence: 0, previous: .none, body: opening.encoded(),
        signedBy: credentials.local.signingKey)
    ]
    for _ in 0..<count { frames.append(certifying(after: frames[frames.count - 1])) }
  }

  /// A branch that goes on from a frame of the first one, each frame with a certificate; only the
  /// last one and those that have to be are signed.
  mutating func branch(after sequence: Int, length: Int = 1) -> [Frame] {
    var branch: [Frame] = []
    for _ in 0..<length { branch.append(certifying(after: branch.last ?? frames[sequence])) }
    for index in branch.indices.dropLast()
    where branch[index].sequence % Limits.signatureInterval != 0 {
      branch[index].signature = nil
    }
    return branch
  }

  private mutating func certifying(after last: Frame) -> Frame {
    let key = random.signingKey().publicKey
    let certificate = Certificate(
      operation: operation, issuer: credentials.certificate,
      user: UserID(operation: operation, firstDeviceKey: key), signingKey: key,
      agreementKey: random.agreementKey().publicKey, role: .member)
    let body = FrameBody(
      writtenAt: Timestamp(milliseconds: 1),
      contents: .operations([
        .certificate(SignedCertificate(certificate, signedBy: credentials.local.signingKey))
      ]))
    return .clear(
      operation: operation, log: log, sequence: last.sequence + 1, previous: last.hash,
      body: body.encoded(writesAt: nil), signedBy: credentials.local.signingKey)
  }
}

extension Replica {
  /// Stores a log from its opening on, as if a peer had sent it.
  mutating func receive(_ forked: ForkedLog, through last: Int, now: ClockReading) throws -> Outcome
  {
    try transact(now: now) {
      try $0.core.hold(Array(forked.frames[...last]), opening: forked.opening, now: now)
      try $0.core.commit(now: now)
      // The engine of a node that received it knows of it.
      try $0.core.run(
        .attached(forked.log, $0.device, .held(try $0.core.store.strands(of: forked.log))), now: now
      )
    }
  }

  /// Receives frames that may be another branch.
  mutating func receive(
    branch frames: [Frame], of opening: Opening, now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) {
      try BranchAttacher.attach(
        frames, opening: opening, from: $0.device, to: &$0.core, now: now)
    }
  }
}

/// What a node shows of membership.
struct ShownMembership: Hashable {
  let members: Set<CertificateHash>
  let hash: StateHash
  let evidence: [EvidenceID]
}

extension Replica {
  mutating func shownMembership() throws -> ShownMembership {
    ShownMembership(
      members: Set(core.control.admissions.map(\.signed.hash)), hash: try stateHash(),
      evidence: core.control.membership.items.map(\.id))
  }
}
