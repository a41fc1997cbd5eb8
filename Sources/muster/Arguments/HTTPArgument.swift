internal import Foundation
internal import MusterHTTP
internal import MusterModel

/// The address that the node listens on for HTTP: `ADDRESS:PORT`.
struct HTTPArgument: Hashable {
  let host: String
  let port: Int

  init(parsing text: String) throws(BadArgument) {
    (host, port) = try AddressArgument(parsing: text).parts
  }

  /// The default of the dashboard.
  static let standard = HTTPArgument(host: "127.0.0.1", port: 7480)

  private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// Whether only this machine can reach it.
  var isLoopback: Bool {
    host == "localhost" || host == "::1"
      || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
  }
}

/// The node's listener for the dashboard, programs and phones.
struct HTTPListener: Hashable, Redacted {
  /// The setting that turns it off, as `--no-http` does.
  static let off = "off"
  /// The shortest token for phones at an address that other machines reach.
  static let leastTokenBytes = 16

  enum Access: Hashable, Redacted {
    /// Any user of this machine.
    case trusted
    /// The token that is kept in the home.
    case token
    /// Phones only, by a token from the settings.
    case phones(String)
  }

  let place: HTTPArgument
  let access: Access
  let whenTaken: WebServer.WhenTaken

  /// Returns what clients need, and what is printed once they can connect.
  ///
  /// - Parameter runDirectory: of the home, whose lock MUST be held.
  func opened(in runDirectory: String) throws -> Opened {
    switch access {
    case .trusted: Opened(place: place, access: .trusted, token: nil)
    case .phones(let token): Opened(place: place, access: .phones(token: token), token: nil)
    case .token:
      try Opened(place: place, token: LocalToken(in: runDirectory))
    }
  }

  struct Opened: Sendable, Redacted {
    let host: String
    let access: AccessRule.Access
    private let token: LocalToken?

    fileprivate init(place: HTTPArgument, access: AccessRule.Access, token: LocalToken?) {
      (host, self.access, self.token) = (place.host, access, token)
    }

    fileprivate init(place: HTTPArgument, token: LocalToken) {
      self.init(place: place, access: .local(token: token.text), token: token)
    }

    /// The line to print; nil if no dashboard is served.
    ///
    /// It has the token only on a terminal: other users may read a journal or a log file.
    func announcement(port: Int, isTerminal: Bool) -> String? {
      if case .phones = access { return nil }
      let address = "http://\(Endpoint.authority(host, port))/"
      guard let token else { return "dashboard: \(address)" }
      return isTerminal
        ? "dashboard: \(address)?token=\(token.text)"
        : "dashboard: \(address) (token in \(token.path))"
    }
  }
}
