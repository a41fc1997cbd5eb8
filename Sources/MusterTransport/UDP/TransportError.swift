/// The reason why a socket could not be opened or an address not be used, for the user who entered
/// it.
public enum TransportError: Error, Hashable, Sendable {
  /// Another process listens on the address.
  case addressInUse(String)
  /// The address to listen on belongs to no interface of this machine.
  case addressNotAvailable(String)
  /// The operating system refuses the port, as those below 1,024.
  case permissionDenied(String)
  /// The input is not an address, and why.
  case badAddress(String, reason: String)
  /// The host name has no address, and why.
  case unresolvedName(String, reason: String)
  /// Any other error of the operating system: the address and the error message.
  case socketRefused(String, reason: String)
}

extension TransportError: CustomStringConvertible {
  /// One line that states what failed and what to do.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      let port = address.split(separator: ":").last.map(String.init) ?? address
      return "UDP port \(port) is taken: another node? choose another with --listen"
    case .addressNotAvailable(let address):
      return "\(address) is not an address of this machine: use --listen 0.0.0.0:PORT for all"
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
