internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Opens the sealed fields of check-ins, at a command device (decision 0047).
struct DuressOpener: Sendable {
  private let operation: OperationID
  private let user: UserID
  private let key: AgreementKey

  /// Returns nil except for a command device. The fields of its own user are not read: they are
  /// sealed to others only.
  init?(of local: LocalDevice) {
    guard local.author.role == .command else { return nil }
    (operation, user, key) = (local.operation, local.author.user, local.agreementKey)
  }

  /// Returns the calls among the writes of one author.
  func calls(in writes: [AuthoredWrite]) -> [DuressCall] {
    writes.compactMap { written in
      guard written.write.field == .checkInSealed, written.author.user != user,
        case .bytes(let field)? = written.write.value
      else { return nil }
      let context = DuressField.Context(
        operation: operation, device: written.author.device, row: written.write.row)
      guard DuressField.isCall(field, to: key, context: context) else { return nil }
      return DuressCall(dot: written.dot, author: written.author)
    }
  }
}

/// A call for help in the sealed field of a check-in. It is about the author, not about the
/// person of the timer: the author's device is the one on which a person is watched.
struct DuressCall: Hashable, Sendable {
  let dot: Dot
  let author: Author
}
