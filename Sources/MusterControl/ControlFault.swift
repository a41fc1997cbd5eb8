/// Why a command could not be put to a running node, in words for the person who asked.
public enum ControlFault: Error, Hashable, Sendable {
  /// No node runs on this home: there is no socket, or nobody behind it.
  case notListening
  /// Bytes that are not a message of this protocol, or a value out of range in one.
  case malformed(String)
  /// A message longer than the other side takes.
  case tooLong(bytes: Int, limit: Int)
  /// The node closed the connection before it had answered.
  case closed
  /// An answer to another question, or none of ours.
  case unexpected
  /// The node did not take the command at all, and says why.
  case declined(String)
  /// The socket cannot be used or made where it should be.
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
    case .closed: "the node closed the connection before it had answered"
    case .unexpected: "the node answered another question; is it of another version?"
    case .declined(let reason): reason
    case .socket(let path, let reason): "\(path): \(reason)"
    }
  }
}
