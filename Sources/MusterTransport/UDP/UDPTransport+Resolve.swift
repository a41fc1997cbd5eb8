public import MusterModel
internal import NIOPosix

extension UDPTransport {
  /// Resolves `HOST:PORT`, where the host is an IP address or a name. Names are resolved on a
  /// separate thread, since the call blocks. Of several addresses it returns the first of `family`,
  /// or the first of any if that is nil.
  public static func resolve(
    _ text: String, family: AddressFamily? = nil
  ) async throws(TransportError) -> Endpoint {
    let address = try AddressText(text)
    guard address.port != 0 else {
      throw .badAddress(text, reason: "port 0 cannot be sent to")
    }
    if let literal = address.literal() { return literal }
    let found: Result<[Endpoint], TransportError>
    do {
      found = try await NIOThreadPool.singleton.runIfActive {
        Result { () throws(TransportError) in
          try NameResolution.addresses(of: address.host, port: address.port)
        }
      }
    } catch {
      throw .unresolvedName(address.host, reason: "\(error)")
    }
    let endpoints = try found.get()
    guard let endpoint = endpoints.first(where: { family == nil || $0.family == family }) else {
      throw .unresolvedName(
        address.host,
        reason: family.map { "it has no \($0 == .ipv4 ? "IPv4" : "IPv6") address" }
          ?? "it has no address")
    }
    return endpoint
  }

  /// Resolves `HOST:PORT` in an address family of this transport, that of its `listen` address if
  /// the name has both.
  public func resolve(_ text: String) async throws(TransportError) -> Endpoint {
    let first = try await outcome(of: text, in: families[0])
    guard case .failure(.unresolvedName) = first, families.count > 1 else { return try first.get() }
    guard case .success(let other) = try await outcome(of: text, in: families[1]) else {
      return try first.get()
    }
    return other
  }

  private func outcome(
    of text: String, in family: AddressFamily
  ) async throws(TransportError) -> Result<Endpoint, TransportError> {
    do throws(TransportError) {
      return .success(try await Self.resolve(text, family: family))
    } catch {
      return .failure(error)
    }
  }
}
