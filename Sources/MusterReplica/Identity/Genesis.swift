internal import MusterCrypto
public import MusterModel
public import MusterStore
internal import MusterSync

/// Creates an operation: a root key, its own control log, and the first `command` device.
public struct Genesis: Sendable, Redacted {
  /// The credentials of the first `command` device, which the root certified.
  public let credentials: Credentials
  /// The root key's seed, to be stored apart from the device: only it recovers an operation whose
  /// commanders have revoked each other.
  let rootSeed: [UInt8]
  let opening: Opening
  let frames: [Frame]

  /// - Parameter seed: 32 bytes from the operating system, used nowhere else.
  public init(operationName: String, seed: [UInt8], now: Timestamp) {
    precondition(TextRule.line.accepts(operationName), "operation name not checked")
    var random = DeterministicRandom(seed: seed)
    let rootKey = random.signingKey()
    let operation = OperationID(rootKey: rootKey.publicKey)
    let networkKey = random.sealingKey()
    let signingKey = random.signingKey()
    let agreementKey = random.agreementKey()
    let certificate = SignedCertificate(
      Certificate(
        operation: operation, issuer: .root,
        user: UserID(operation: operation, firstDeviceKey: signingKey.publicKey),
        signingKey: signingKey.publicKey, agreementKey: agreementKey.publicKey, role: .command),
      signedBy: rootKey)
    guard
      let local = LocalDevice(
        operationName: operationName, rootKey: rootKey.publicKey, networkKey: networkKey,
        signingKey: signingKey, agreementKey: agreementKey, chain: [certificate])
    else { preconditionFailure("a chain just made does not hold") }
    credentials = Credentials(local)
    rootSeed = rootKey.exportSeed()
    opening = Opening(
      certificate: .root, incarnation: Incarnation(raw: random.bytes16()), generation: 1,
      lane: .control)
    let log = LogID(operation: operation, opening: opening)
    let first = Frame.clear(
      operation: operation, log: log, sequence: 0, previous: .none, body: opening.encoded(),
      signedBy: rootKey)
    let body = FrameBody(writtenAt: now, contents: .operations([.certificate(certificate)]))
    let second = Frame.clear(
      operation: operation, log: log, sequence: 1, previous: first.hash,
      body: body.encoded(writesAt: nil),
      signedBy: rootKey)
    frames = [first, second]
  }

  /// Returns the contents of the root key file, sealed if a passphrase is given.
  ///
  /// - Parameter seed: 32 bytes for the salt and the nonce, used nowhere else.
  public func rootKeyFile(passphrase: [UInt8]?, seed: [UInt8]) throws(SecretFileFault) -> [UInt8] {
    try SecretFile.rootKey.encode(
      rootSeed, passphrase: passphrase, cost: .interactive, seed: seed)
  }

  /// Writes the root's control log into an empty store.
  public func store(in store: Store) throws(StoreError) {
    var batch = Batch()
    for (index, frame) in frames.enumerated() {
      batch.frames.append(
        HeldFrame(frame: frame, opening: index == 0 ? opening : nil, application: .nothing))
    }
    _ = try store.commit(batch)
  }
}
