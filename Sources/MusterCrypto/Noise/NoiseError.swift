/// Why a handshake message was not written or not accepted. The handshake itself is as before.
public enum NoiseError: Error, Hashable, Sendable {
  /// The message is the other side's to write, or the handshake is over.
  case outOfTurn
  /// Too short for the keys that it must carry, or over `NoiseHandshake.maximumMessageBytes`.
  case wrongLength
  /// Damaged, forged, or made with other keys, another prologue or another pattern.
  case notAuthentic
  /// The other side's key is of small order, so that nothing secret can be agreed on with it.
  case weakKey
  /// The pattern takes another number of pre-shared keys, or one is not 32 bytes long.
  case wrongPreSharedKeys
}
