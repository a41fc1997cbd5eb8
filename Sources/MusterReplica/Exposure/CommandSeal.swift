internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Seals a proximity note to command, and opens it there (decision 0060).
///
/// ```
///   number of boxes (1) ‖ boxes (80 each) ‖ body
///   box n    the note's key in a sealed box to command device n
///   body     the note under its key, authenticated with operation ‖ row
/// ```
///
/// The row names the author's device, and the frame proves the author: a copy in another row, or
/// under another device, does not open.
struct CommandSeal: Sendable {
  private let additionalData: [UInt8]

  init(operation: OperationID, row: RowID) {
    additionalData = Array("muster proximity note 1".utf8) + operation.bytes + row.bytes
  }

  /// Returns a sealed note; nil without recipients. The note has one length, so that the length of
  /// the result depends on the number of recipients only.
  ///
  /// - Parameters:
  ///   - key: drawn for this note.
  ///   - boxes: drawn for its boxes.
  func seal(
    _ note: ProximityNote, to recipients: [AgreementPublicKey], key: AgreementKey,
    boxes: AgreementKey
  ) -> [UInt8]? {
    let secret = key.exportSecret()
    guard let sealing = SealingKey(bytes: secret),
      let nonce = Nonce24(bytes: boxes.publicKey.bytes.prefix(Nonce24.byteCount))
    else { return nil }
    let sealed = recipients.prefix(Limits.noteRecipients).compactMap {
      SealedBox.seal(secret, to: $0, drawn: boxes)
    }
    guard !sealed.isEmpty else { return nil }
    return [UInt8(sealed.count)] + sealed.flatMap { $0 }
      + sealing.sealBody(note.encoded(), drawn: nonce, additionalData: additionalData)
  }

  /// Opens a note; nil unless it is sealed to this key, for this place, and well-formed.
  func open(_ sealed: [UInt8], with key: AgreementKey) -> ProximityNote? {
    guard Field.exposureNote.accepts(.bytes(sealed)) else { return nil }
    let end = sealed.count - ProximityNote.bodyBytes
    for start in stride(from: 1, to: end, by: ProximityNote.boxBytes) {
      let box = Array(sealed[start..<start + ProximityNote.boxBytes])
      guard let secret = SealedBox.open(box, with: key), let opening = SealingKey(bytes: secret)
      else { continue }
      guard let plain = opening.openBody(sealed[end...], additionalData: additionalData) else {
        return nil
      }
      do throws(DecodingFault) {
        return try ProximityNote(decoding: plain)
      } catch {
        return nil
      }
    }
    return nil
  }
}
