public import MusterModel

extension DeterministicRandom {
  /// Returns a random id: sixteen unpredictable bytes.
  public mutating func bytes16() -> Bytes16 {
    Bytes16(high: uint64(), low: uint64())
  }

  /// Returns a nonce for one message.
  public mutating func nonce24() -> Nonce24 {
    guard let nonce = Nonce24(bytes: bytes(Nonce24.byteCount)) else {
      preconditionFailure("\(Nonce24.byteCount) bytes are a nonce")
    }
    return nonce
  }

  /// Returns a new symmetric key.
  public mutating func sealingKey() -> SealingKey {
    SealingKey(secret: SecretBytes(bytes(SealingKey.byteCount)))
  }

  /// Returns a new signing key.
  public mutating func signingKey() -> SigningKey {
    SigningKey(validSeed: bytes(SigningKey.seedBytes))
  }

  /// Returns a new agreement key: a device's own, or the ephemeral one of a handshake.
  public mutating func agreementKey() -> AgreementKey {
    AgreementKey(secret: SecretBytes(bytes(AgreementKey.secretBytes)))
  }
}
