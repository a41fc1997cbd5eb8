/// The reason why a handshake message was not written or accepted. The handshake is unchanged.
public enum NoiseError: Error, Hashable, Sendable {
  /// It is the other side's turn, or the handshake is complete.
  case outOfTurn
  /// Too short for the keys that it must carry, or over `NoiseHandshake.maximumMessageBytes`.
  case wrongLength
  /// Damaged, forged, or made with other keys, another prologue or another pattern.
  case notAuthentic
  /// The other side's key is of small order, so that no secret can be agreed on.
  case weakKey
  /// The pattern requires another number of pre-shared keys, or one is not 32 bytes long.
  case wrongPreSharedKeys
}
