internal import Foundation
internal import MusterCrypto
public import MusterModel

/// Authorizes the clients of a listener.
///
/// A web page in a local browser can send requests to a loopback address too. It cannot hide its
/// origin: the browser sends the requested host name (which reveals DNS rebinding), and states that
/// the request comes from a page. Tracker apps send neither. Other users of this machine can
/// connect to a loopback address as well, so the API requires a token there
/// (`docs/decisions/0038`).
public struct AccessRule: Hashable, Sendable, Redacted {
  /// The credentials that a listener requires.
  public enum Access: Hashable, Sendable, Redacted {
    /// None: the file system protects the socket, or the user trusts everyone on the machine.
    case trusted
    /// The token, for programs, browsers and phones on this machine.
    case local(token: String)
    /// The token, for phones on other machines. Programs are not served.
    case phones(token: String)
  }

  private let access: Access

  /// The headers that the rule evaluates.
  public struct Headers: Hashable, Sendable, Redacted {
    /// `Host`, or `:authority`.
    public var host: String?
    /// Its password may be the token.
    public var authorization: String?
    /// The page that sends the request; tracker apps send none.
    public var origin: String?
    /// `Sec-Fetch-Site`.
    public var fetchSite: String?
    /// All `Cookie` headers.
    public var cookies: [String]

    /// Creates the headers of a request.
    public init(
      host: String? = nil, authorization: String? = nil, origin: String? = nil,
      fetchSite: String? = nil, cookies: [String] = []
    ) {
      self.host = host
      self.authorization = authorization
      self.origin = origin
      self.fetchSite = fetchSite
      self.cookies = cookies
    }
  }

  /// The decision about a request.
  public enum Verdict: Hashable, Sendable {
    /// With the requested path, without the token.
    case allowed(path: String)
    /// Forbidden with any credentials.
    case forbidden
    /// The token is missing or wrong.
    case unauthorized
  }

  /// - Parameter access: MUST NOT be `trusted` if other machines can reach the listener.
  public init(_ access: Access) { self.access = access }

  /// Whether only this machine can reach the listener.
  var isLocal: Bool { if case .phones = access { false } else { true } }

  private var token: String? {
    switch access {
    case .trusted: nil
    case .local(let token), .phones(let token): token
    }
  }

  /// Judges a tracker's request by its path, without the query, and its headers.
  public func judge(path: String, _ headers: Headers) -> Verdict {
    if headers.origin != nil { return .forbidden }
    if let site = headers.fetchSite, site != "none" { return .forbidden }
    if isLocal, !Self.isLoopback(headers.host) { return .forbidden }
    guard let token else { return .allowed(path: path) }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let rest =
      parts.count == 2
      ? parts[1].split(
        separator: "/", maxSplits: 1, omittingEmptySubsequences: false) : []
    if let first = rest.first, Self.isSame(String(first), token) {
      return .allowed(path: "/" + (rest.count == 2 ? rest[1] : ""))
    }
    if let password = headers.authorization.flatMap(BasicPassword.init),
      Self.isSame(password.text, token)
    {
      return .allowed(path: path)
    }
    return isLocal && hasBearer(headers) ? .allowed(path: path) : .unauthorized
  }

  /// Whether the headers show a request from this machine, by a name that always means this
  /// machine, and from no web page except one of this listener.
  public func isFromHere(_ headers: Headers) -> Bool {
    guard isLocal, let host = headers.host, Self.isLoopback(host) else { return false }
    if let origin = headers.origin, origin.lowercased() != "http://\(host.lowercased())" {
      return false
    }
    return headers.fetchSite.map { ["none", "same-origin"].contains($0) } ?? true
  }

  /// Whether the headers show a request from this machine that no web page sent, not even one of
  /// this listener.
  func isProgramHere(_ headers: Headers) -> Bool {
    isLocal && Self.isLoopback(headers.host) && headers.origin == nil && headers.fetchSite == nil
  }

  /// Judges a request for the API.
  public func judgeProgram(path: String, _ headers: Headers) -> Verdict {
    guard isFromHere(headers) else { return .forbidden }
    if token == nil || hasBearer(headers) || hasCookie(headers) { return .allowed(path: path) }
    return .unauthorized
  }

  // MARK: The token in a browser

  /// Whether a token is correct; true if the listener requires none.
  func accepts(_ given: String) -> Bool { token.map { Self.isSame(given, $0) } ?? true }

  /// Returns the value of `Set-Cookie` that replaces the token in a browser.
  ///
  /// Browsers send a cookie to every port of a host, so the name contains the port. The value is
  /// derived from the token and does not disclose it.
  func setCookie(_ headers: Headers) -> String? {
    guard let token else { return nil }
    let (name, value) = (Self.cookieName(headers.host), Self.cookieValue(token))
    return "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"
  }

  private func hasBearer(_ headers: Headers) -> Bool {
    guard let token, let header = headers.authorization else { return false }
    let parts = header.split(separator: " ", maxSplits: 1)
    return parts.count == 2 && parts[0].lowercased() == "bearer"
      && Self.isSame(String(parts[1]), token)
  }

  private func hasCookie(_ headers: Headers) -> Bool {
    guard let token else { return false }
    let (name, value) = (Self.cookieName(headers.host), Self.cookieValue(token))
    return headers.cookies.contains { header in
      header.split(separator: ";").contains { pair in
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return parts.count == 2 && parts[0] == name && Self.isSame(String(parts[1]), value)
      }
    }
  }

  private static func cookieName(_ host: String?) -> String {
    let digits = host.flatMap { name in
      name.lastIndex(of: ":").map { name[$0...].dropFirst().filter(\.isNumber) }
    }
    return "muster-\(digits ?? "80")"
  }

  private static func cookieValue(_ token: String) -> String {
    Hex.encode(Blake2b.hash256(Array("muster dashboard cookie \(token)".utf8)).bytes)
  }

  /// Whether a host, perhaps with a port, always means this machine.
  static func isLoopback(_ host: String?) -> Bool {
    guard var name = host?[...] else { return false }
    if let colon = name.lastIndex(of: ":"), name[colon...].dropFirst().allSatisfy(\.isNumber),
      !name.hasSuffix("]")
    {
      name = name[..<colon]
    }
    if name.lowercased() == "localhost" || name == "[::1]" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Compares in constant time.
  static func isSame(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    var difference = given.count ^ token.count
    for (index, byte) in token.enumerated() {
      difference |= Int(byte ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }
}

/// The password of `Authorization: Basic …` (RFC 7617).
struct BasicPassword: Redacted {
  let text: String

  init?(_ header: String) {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic", header.utf8.count <= 1024,
      let data = Data(base64Encoded: String(parts[1])),
      let pair = String(validating: data, as: UTF8.self), let colon = pair.firstIndex(of: ":")
    else { return nil }
    text = String(pair[pair.index(after: colon)...])
  }
}
