/// Why a socket could not be opened or an address not be used, in words for who typed it.
public enum TransportError: Error, Hashable, Sendable {
  /// The address that another process listens on.
  case addressInUse(String)
  /// The address to listen on belongs to no interface of this machine.
  case addressNotAvailable(String)
  /// The operating system refuses the port, as those below 1,024.
  case permissionDenied(String)
  /// What was typed is no address, and why.
  case badAddress(String, reason: String)
  /// The host name that has no address, and why.
  case unresolvedName(String, reason: String)
  /// Any other refusal by the operating system: the address, and its words.
  case socketRefused(String, reason: String)
}

extension TransportError: CustomStringConvertible {
  /// One line that says what is wrong and what to do about it.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      let port = address.split(separator: ":").last.map(String.init) ?? address
      return "UDP port \(port) is taken: another node? choose another with --listen"
    case .addressNotAvailable(let address):
      return "\(address) is no address of this machine: use 0.0.0.0 for all with --listen"
    case .permissionDenied(let address):
      return "not permitted to listen on \(address): choose a port above 1023 with --listen"
    case .badAddress(let text, let reason):
      return "\"\(text)\" is not an address: \(reason)"
    case .unresolvedName(let name, let reason):
      return "no address found for \"\(name)\": \(reason)"
    case .socketRefused(let address, let reason):
      return "cannot listen on \(address): \(reason)"
    }
  }
}
