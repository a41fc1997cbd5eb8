internal import MusterLocation
internal import MusterModel

/// The source of sightings: a file, a device, `-` for standard input, `udp://[HOST]:PORT`.
struct ProximityArgument: Hashable {
  let input: LineSource.Input

  /// Without a host, datagrams of this machine only are read: they are not authenticated.
  init(parsing text: String) throws(BadArgument) {
    if text == "-" {
      input = .standardInput
    } else if text.hasPrefix("udp://") {
      let rest = text.dropFirst("udp://".count)
      let address = try AddressArgument(parsing: (rest.hasPrefix(":") ? "127.0.0.1" : "") + rest)
      input = .datagrams(host: address.parts.host, port: address.parts.port)
    } else if text.contains("://") || text.isEmpty {
      throw BadArgument("give a file, a device, - for standard input, or udp://:7476")
    } else {
      input = .path(text)
    }
  }

  /// Whether the lines come in datagrams, which are not authenticated.
  var isDatagrams: Bool {
    if case .datagrams = input { true } else { false }
  }

  /// The name that `muster proximity status` shows.
  var name: String {
    switch input {
    case .standardInput: "scanner on standard input"
    case .path(let path): "scanner \(path)"
    case .datagrams(let host, let port): "scanner udp://\(Endpoint.authority(host, port))"
    }
  }
}
