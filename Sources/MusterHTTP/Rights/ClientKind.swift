/// A kind of client, by what it has proven to its listener: a column of the table of rights.
enum ClientKind: String, CaseIterable, Sendable {
  /// A client without a credential.
  case stranger
  /// A tracker app with the secret path of a login, or with the token for phones.
  case phone
  /// A browser whose login was removed.
  case removed
  /// A browser whose login has expired.
  case helpOnly
  case observer
  case member
  /// A login of command whose user has not given the passphrase lately.
  case lockedCommand
  case command
  /// A program that signs its requests with an access key of Amazon's services.
  case accessKey
  /// The node's own user: by the socket, or by the token on a loopback address.
  case laptop
  /// A node of the operation, which proves itself inside an uplink.
  case node
  /// A program with a token of the shared archive.
  case agency

  /// The name in documents.
  var name: String {
    switch self {
    case .stranger: "none"
    case .phone: "phone secret"
    case .removed: "removed login"
    case .helpOnly: "help only"
    case .observer: "observer"
    case .member: "member"
    case .lockedCommand: "command, locked"
    case .command: "command"
    case .accessKey: "access key"
    case .laptop: "laptop"
    case .node: "node"
    case .agency: "agency token"
    }
  }
}
