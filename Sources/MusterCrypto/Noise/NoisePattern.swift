/// The keys that each message of a handshake carries and mixes: XX of the Noise Protocol Framework
/// (revision 34), in which both sides send their static keys encrypted, with the pre-shared-key
/// modifiers of its section 9.
public struct NoisePattern: Hashable, Sendable {
  enum Token: Hashable {
    case ephemeral
    case `static`
    case ephemeralEphemeral
    case ephemeralStatic
    case staticEphemeral
    case preSharedKey
  }

  /// The name within the protocol name, for example `XXpsk0`.
  public let name: String
  let messages: [[Token]]

  /// Without a pre-shared key: any client gets a response.
  public static let xx = NoisePattern.xx(preSharedKeysAt: [])
  /// The pattern of sessions: the first message already proves knowledge of the network key, so
  /// that outsiders get no response.
  public static let xxpsk0 = NoisePattern.xx(preSharedKeysAt: [0])

  /// Position 0 is the start of the first message, position n the end of the nth. Positions MUST
  /// ascend within 0...3.
  public static func xx(preSharedKeysAt positions: [Int]) -> NoisePattern {
    precondition(
      positions.allSatisfy { (0...3).contains($0) }
        && zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 },
      "pre-shared keys at \(positions)")
    var messages: [[Token]] = [
      [.ephemeral],
      [.ephemeral, .ephemeralEphemeral, .static, .ephemeralStatic],
      [.static, .staticEphemeral],
    ]
    for position in positions {
      if position == 0 {
        messages[0].insert(.preSharedKey, at: 0)
      } else {
        messages[position - 1].append(.preSharedKey)
      }
    }
    let modifiers = positions.map { "psk\($0)" }.joined(separator: "+")
    return NoisePattern(name: "XX" + modifiers, messages: messages)
  }

  var preSharedKeyCount: Int {
    messages.joined().count { $0 == .preSharedKey }
  }

  var protocolName: String { "Noise_\(name)_25519_ChaChaPoly_BLAKE2b" }
}
