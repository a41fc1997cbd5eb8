internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Seals the fields of the check-ins of one command, so that they call for help or do not (decision
/// 0047).
struct CheckInSealer: Sendable {
  private let local: LocalDevice
  private let isCall: Bool
  private let recipients: [AgreementPublicKey]

  /// Throws if this device has PINs, and `pin` is none of them.
  ///
  /// - Parameter isOfLogin: whether another person checks in with a login of this device. The PINs
  ///   are those of its own user: such a person has none, and calls for help openly.
  init(pin: String?, isOfLogin: Bool, in context: ReadContext) throws {
    local = context.local
    isCall = try !isOfLogin && CheckInPins.isCall(pin, in: context.store)
    recipients = context.control.duressRecipients(besides: local.author.user)
  }

  /// Returns the field of a row.
  ///
  /// - Parameter drawn: a random key.
  func field(in row: RowID, drawn: AgreementKey) -> Value {
    let context = DuressField.Context(
      operation: local.operation, device: local.device, row: row)
    return .bytes(
      DuressField.make(isCall: isCall, to: recipients, context: context, drawn: drawn))
  }
}

extension ControlPlane {
  /// Returns the keys of the command devices that a call under duress is sealed to: those that are
  /// not revoked, nearest to the root first. A person's own devices are not among them, because the
  /// attacker who forces the person may watch these.
  func duressRecipients(besides user: UserID) -> [AgreementPublicKey] {
    Array(commandKeys { $0 != user }.prefix(DuressField.recipients))
  }

  /// The keys of the command devices that a proximity note is sealed to, in the same order: also
  /// those of its author's own user.
  var noteRecipients: [AgreementPublicKey] {
    Array(commandKeys { _ in true }.prefix(Limits.noteRecipients))
  }

  private func commandKeys(of isIncluded: (UserID) -> Bool) -> [AgreementPublicKey] {
    let commanders = admissions.filter {
      let certificate = $0.signed.certificate
      return certificate.role == .command && isIncluded(certificate.user)
        && !isRevoked(certificate.device)
    }.sorted { ($0.rank, $0.signed.hash) < ($1.rank, $1.signed.hash) }
    var keys: [AgreementPublicKey] = []
    for admission in commanders {
      let key = admission.signed.certificate.agreementKey
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }
}
