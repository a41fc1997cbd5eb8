internal import MusterModel
internal import MusterSync

/// What one control log says, as far as it is held.
struct ControlLog: Hashable, Sendable {
  /// That it was opened with: who speaks.
  let certificate: CertificateHash
  /// What its frames say, in sequence; those that say nothing are left out.
  private(set) var statements: [Statement] = []

  /// The operations of one frame.
  struct Statement: Hashable, Sendable {
    let sequence: UInt64
    let hash: FrameHash
    let operations: [Operation]
  }

  init(certificate: CertificateHash) { self.certificate = certificate }

  mutating func add(_ operations: [Operation], sequence: UInt64, hash: FrameHash) {
    guard !operations.isEmpty, statements.last.map({ $0.sequence < sequence }) ?? true else {
      return
    }
    statements.append(Statement(sequence: sequence, hash: hash, operations: operations))
  }
}
