import MusterCrypto
import MusterModel
import MusterSync

/// Writes one device's logs, as the replica's own writer does.
struct Pen {
  let operation: OperationID
  let certificate: CertificateHash
  let key: SigningKey
  let incarnation: Incarnation
  /// What another of the same incarnation has otherwise is a lie.
  var generation: UInt32 = 1
  let epoch: EpochKey
  var random: DeterministicRandom
  private var logs: [Lane: (opening: Opening, last: Frame)] = [:]

  init(_ device: LocalDevice, epoch: EpochKey, seed: UInt64) {
    self.init(
      operation: device.operation, certificate: device.certificate.hash, key: device.signingKey,
      epoch: epoch, seed: seed)
  }

  init(
    operation: OperationID, certificate: CertificateHash, key: SigningKey, epoch: EpochKey,
    seed: UInt64
  ) {
    self.operation = operation
    self.certificate = certificate
    self.key = key
    self.epoch = epoch
    random = DeterministicRandom(seed: Cast.seed(seed ^ 0x70656e))
    incarnation = Incarnation(raw: random.bytes16())
  }

  func log(_ lane: Lane) -> LogID {
    LogID(operation: operation, opening: opening(lane))
  }

  private func opening(_ lane: Lane) -> Opening {
    Opening(
      certificate: certificate, incarnation: incarnation, generation: generation, lane: lane)
  }

  /// The next frames of a lane, with the opening where it has not been written yet.
  mutating func write(_ bodies: [[UInt8]], in lane: Lane) -> (Opening, [Frame]) {
    var frames: [Frame] = []
    if logs[lane] == nil { frames.append(open(lane)) }
    guard let (opening, held) = logs[lane] else { preconditionFailure("no log") }
    var last = held
    for body in bodies {
      last =
        lane == .control
        ? Frame.clear(
          operation: operation, log: last.log, sequence: last.sequence + 1, previous: last.hash,
          body: body, signedBy: key)
        : sealed(body, after: last)
      frames.append(last)
    }
    logs[lane] = (opening, last)
    return (opening, frames)
  }

  mutating func write(_ count: Int, bytes: Int = 60, in lane: Lane) -> (Opening, [Frame]) {
    write((0..<count).map { _ in random.bytes(bytes) }, in: lane)
  }

  /// A control frame that certifies devices.
  mutating func certify(_ certificates: [SignedCertificate]) -> (Opening, [Frame]) {
    let body = FrameBody(
      writtenAt: Timestamp(milliseconds: 0),
      contents: .operations(certificates.map { .certificate($0) }))
    return write([body.encoded(writesAt: nil)], in: .control)
  }

  private mutating func open(_ lane: Lane) -> Frame {
    let opening = opening(lane)
    let frame = Frame.clear(
      operation: operation, log: log(lane), sequence: 0, previous: .none, body: opening.encoded(),
      signedBy: key)
    logs[lane] = (opening, frame)
    return frame
  }

  private mutating func sealed(_ body: [UInt8], after last: Frame) -> Frame {
    guard let sealingKey = SealingKey(bytes: epoch.key) else { preconditionFailure("epoch key") }
    return Frame.sealed(
      operation: operation, log: last.log, sequence: last.sequence + 1, previous: last.hash,
      epoch: epoch.id, plaintext: body, key: sealingKey, nonce: random.nonce24(), signedBy: key)
  }
}
