/// Why a command could not be sent to a running node, in text for the user.
public enum ControlFault: Error, Hashable, Sendable {
  /// No node runs with this home: there is no socket, or no process listens on it.
  case notListening
  /// Bytes that are not a message of this protocol, or that contain a value out of range.
  case malformed(String)
  /// A message longer than the other side accepts.
  case tooLong(bytes: Int, limit: Int)
  /// The node closed the connection before its reply was complete.
  case closed
  /// A reply to another command, or not a reply of this protocol.
  case unexpected
  /// The node rejected the command, with a reason.
  case declined(String)
  /// The socket cannot be used or created at its path.
  case socket(path: String, reason: String)
}

extension ControlFault: CustomStringConvertible {
  /// One line, without the word "error".
  public var description: String {
    switch self {
    case .notListening: "no node is running here"
    case .malformed(let what): "malformed message: \(what)"
    case .tooLong(let bytes, let limit):
      "a message of \(bytes) bytes is too long; at most \(limit) are allowed"
    case .closed: "the node closed the connection before its reply was complete"
    case .unexpected: "the node sent an unexpected reply; check that it has the same version"
    case .declined(let reason): reason
    case .socket(let path, let reason): "\(path): \(reason)"
    }
  }
}
