/// What a certificate entitles its device to.
public enum Role: UInt8, Codable, Sendable, CaseIterable, Hashable {
  /// Admits, revokes, draws fences, directs.
  case command = 1
  /// Reports, and its own status.
  case member = 2
  /// Reads.
  case observer = 3
  /// Holds and forwards ciphertext, reads nothing.
  case relay = 4

  /// What people, JSON and the command line call it.
  public var name: String {
    switch self {
    case .command: "command"
    case .member: "member"
    case .observer: "observer"
    case .relay: "relay"
    }
  }

  /// Nil for any other word; upper case is another word.
  public init?(name: String) {
    guard let role = Role.allCases.first(where: { $0.name == name }) else { return nil }
    self = role
  }

  /// Whether it may hold epoch keys.
  public var reads: Bool { self != .relay }
}
