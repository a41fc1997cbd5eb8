internal import MusterCrypto
public import MusterModel

extension ExposureID {
  /// The id of the report that a key withdraws: BLAKE2b-128 of a tag and the key.
  public init(withdrawnBy key: WithdrawalKey) {
    self.init(raw: Blake2b.hash128(Array("muster exposure 1".utf8), key.bytes))
  }
}
