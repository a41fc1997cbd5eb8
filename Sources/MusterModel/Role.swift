/// The permissions that a certificate grants to its device.
public enum Role: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// Admits and revokes devices, draws fences, issues directives.
  case command = 1
  /// Writes reports, and its user's own status.
  case member = 2
  /// Read-only.
  case observer = 3
  /// Stores and forwards ciphertext; cannot read it.
  case relay = 4
  /// Reads, keeps everything, and signs receipts for it; writes only its own callsign.
  case archive = 5

  /// The name in JSON and on the command line.
  public var name: String {
    switch self {
    case .command: "command"
    case .member: "member"
    case .observer: "observer"
    case .relay: "relay"
    case .archive: "archive"
    }
  }

  /// Whether it may hold epoch keys.
  public var reads: Bool { self != .relay }

  /// Whether its device is carried by a person: only people have a status, records and check-ins.
  public var isPersonal: Bool { self == .command || self == .member || self == .observer }

  /// Whether its device keeps what it holds, and signs receipts for it that others rely on.
  public var givesReceipts: Bool { self == .command || self == .archive }

  /// Whether other devices may connect to it over the internet, by a certificate that it names.
  public var servesUplinks: Bool { self == .command || self == .archive }
}
