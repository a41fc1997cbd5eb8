public import MusterModel

/// The field of every check-in that calls for help under duress, or does not (decision 0047).
///
/// ```
///   ephemeral public key (32) ‖ 16 slots (8 each)
/// ```
///
/// In a call, slot *n* is a keyed hash under the secret that the ephemeral key and the key of
/// recipient *n* agree on. Every other slot has bytes that cannot be distinguished from such a hash
/// without one of the two secrets. So the field has one size, and only a recipient sees whether it
/// calls. It proves nothing about its author: the signature of its frame does.
public enum DuressField {
  /// The most recipients of one call.
  public static let recipients = 16
  /// The length of every field.
  public static let byteCount = AgreementKey.secretBytes + recipients * slotBytes

  private static let slotBytes = 8

  /// What a call is bound to: a copy of it elsewhere calls no one.
  public struct Context: Hashable, Sendable {
    /// The operation.
    public let operation: OperationID
    /// The author's device.
    public let device: DeviceID
    /// The row that contains the field.
    public let row: RowID

    /// Names the place of a field.
    public init(operation: OperationID, device: DeviceID, row: RowID) {
      self.operation = operation
      self.device = device
      self.row = row
    }

    fileprivate var bytes: [UInt8] { operation.bytes + device.bytes + row.bytes }
  }

  /// Returns a field. The cost does not depend on whether it calls.
  ///
  /// The ephemeral key is derived from `drawn` and from everything else, so that no key is used for
  /// two fields even if `drawn` repeats (decision 0040). It is wiped on return.
  ///
  /// - Parameters:
  ///   - isCall: whether the field calls for help.
  ///   - keys: the recipients' keys, of which the first sixteen count.
  ///   - drawn: a random key.
  public static func make(
    isCall: Bool, to keys: [AgreementPublicKey], context: Context, drawn: AgreementKey
  ) -> [UInt8] {
    let keys = keys.prefix(recipients)
    var content = Array("muster duress key 1".utf8) + context.bytes + [isCall ? 1 : 0]
    for key in keys { content += key.bytes }
    let secret = SecretBytes(count: AgreementKey.secretBytes) { output in
      content.withUnsafeBytes {
        Blake2b.keyed($0, key: drawn.secret, to: output, count: AgreementKey.secretBytes)
      }
    }
    return make(isCall: isCall, to: Array(keys), context: context, ephemeral: secret)
  }

  /// `ephemeral` MUST be used for this one field.
  static func make(
    isCall: Bool, to keys: [AgreementPublicKey], context: Context, ephemeral: SecretBytes
  ) -> [UInt8] {
    let key = AgreementKey(secret: ephemeral)
    var field = key.publicKey.bytes
    for slot in 0..<recipients {
      let filler = word(Array("muster duress filler 1".utf8) + [UInt8(slot)], key: ephemeral)
      var chosen = filler
      // Computed for a field without a call too.
      if slot < keys.count, let shared = key.agree(with: keys[slot]) {
        let tag = tag(of: key.publicKey, to: keys[slot], context, shared: shared)
        chosen = isCall ? tag : filler
      }
      field += chosen
    }
    return field
  }

  /// Whether a field calls the holder of a key for help. False for any bytes that are no such call.
  public static func isCall(
    _ field: [UInt8], to key: AgreementKey, context: Context
  ) -> Bool {
    guard field.count == byteCount,
      let ephemeral = AgreementPublicKey(bytes: field.prefix(AgreementKey.secretBytes)),
      let shared = key.agree(with: ephemeral)
    else { return false }
    let tag = tag(of: ephemeral, to: key.publicKey, context, shared: shared)
    let slots = stride(from: AgreementKey.secretBytes, to: byteCount, by: slotBytes)
    return slots.contains { field[$0..<$0 + slotBytes].elementsEqual(tag) }
  }

  private static func tag(
    of ephemeral: AgreementPublicKey, to recipient: AgreementPublicKey, _ context: Context,
    shared: SecretBytes
  ) -> [UInt8] {
    word(
      Array("muster duress 1".utf8) + ephemeral.bytes + recipient.bytes + context.bytes,
      key: shared)
  }

  private static func word(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
    message.withUnsafeBytes { bytes in
      withUnsafeBytes(of: Blake2b.keyedWord(bytes, key: key)) { Array($0) }
    }
  }
}
