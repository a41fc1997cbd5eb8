import MusterCrypto
import MusterModel
import MusterSync

/// The keys and certificates of an operation, all from one seed.
struct Cast {
  let rootKey: SigningKey
  let networkKey: SealingKey
  let epoch: EpochKey
  var random: DeterministicRandom

  init(seed: UInt64) {
    random = DeterministicRandom(seed: Self.seed(seed))
    rootKey = random.signingKey()
    networkKey = random.sealingKey()
    let key = random.bytes(32)
    epoch = EpochKey(
      id: EpochID(operation: OperationID(rootKey: rootKey.publicKey), key: key), key: key)
  }

  var operation: OperationID { OperationID(rootKey: rootKey.publicKey) }

  static func seed(_ number: UInt64) -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * ($0 % 8))) ^ UInt8($0) }
  }

  /// Both clocks, where the wall clock is right.
  static func clock(_ now: Instant) -> ClockReading {
    ClockReading(
      instant: now, wall: Timestamp(milliseconds: 1_800_000_000_000 + now.microseconds / 1000),
      boot: now.microseconds / 1000, entropy: .zero)
  }

  /// A device certified by the root, or by another device.
  mutating func enrol(_ role: Role, by issuer: LocalDevice? = nil) -> LocalDevice {
    certify(
      signingKey: random.signingKey(), agreementKey: random.agreementKey(), role: role, by: issuer)
  }

  /// A certificate for keys that a device has already.
  func certify(
    signingKey: SigningKey, agreementKey: AgreementKey, role: Role, by issuer: LocalDevice? = nil,
    networkKey: SealingKey? = nil
  ) -> LocalDevice {
    let certificate = SignedCertificate(
      Certificate(
        operation: operation, issuer: issuer?.certificate.hash ?? .root,
        user: UserID(operation: operation, firstDeviceKey: signingKey.publicKey),
        signingKey: signingKey.publicKey, agreementKey: agreementKey.publicKey, role: role),
      signedBy: issuer?.signingKey ?? rootKey)
    let device = LocalDevice(
      operationName: "Ridge fire", rootKey: rootKey.publicKey,
      networkKey: networkKey ?? self.networkKey, signingKey: signingKey,
      agreementKey: agreementKey, chain: [certificate] + (issuer?.chain.certificates ?? []))
    guard let device else { preconditionFailure("a chain that does not hold") }
    return device
  }

  /// A chain of the greatest length: its last device is `Limits.certificateChain` from the root.
  mutating func enrolAtTheEndOfAChain(_ role: Role) -> LocalDevice {
    var issuer: LocalDevice?
    for _ in 1..<Limits.certificateChain { issuer = enrol(.command, by: issuer) }
    return enrol(role, by: issuer)
  }
}
