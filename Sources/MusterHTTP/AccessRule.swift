internal import Foundation

/// Who may talk to the server: on a loopback address whoever is on this machine and is no web page,
/// elsewhere whoever knows the token.
///
/// A page in a browser here can send requests to a loopback address too. It cannot hide whose it
/// is: the browser names the host that the page meant (which unmasks names that were pointed here),
/// and says that the request comes from a page. No tracker app says that.
public struct AccessRule: Hashable, Sendable {
  /// What phones have to know; nil on a loopback address.
  private let token: String?

  /// What the rule looks at.
  public struct Headers: Hashable, Sendable {
    /// `Host`, or `:authority`.
    public var host: String?
    /// The password may be the token.
    public var authorization: String?
    /// Which page sends it; tracker apps send none.
    public var origin: String?
    /// `Sec-Fetch-Site`.
    public var fetchSite: String?

    /// Those that a request has.
    public init(
      host: String? = nil, authorization: String? = nil, origin: String? = nil,
      fetchSite: String? = nil
    ) {
      self.host = host
      self.authorization = authorization
      self.origin = origin
      self.fetchSite = fetchSite
    }
  }

  /// What comes of a request.
  public enum Verdict: Hashable, Sendable {
    /// With the path that is meant, without the token.
    case allowed(path: String)
    /// Nobody may do this.
    case forbidden
    /// Without the token, or with a wrong one.
    case unauthorized
  }

  /// - Parameter token: MUST be there where others than this machine can reach the server.
  public init(token: String?) { self.token = token }

  /// Whether only this machine can reach the server.
  var isLocal: Bool { token == nil }

  /// Judges a request by its path, without its query, and its headers.
  public func judge(path: String, _ headers: Headers) -> Verdict {
    if headers.origin != nil { return .forbidden }
    if let site = headers.fetchSite, site != "none" { return .forbidden }
    guard let token else {
      return Self.isLoopback(headers.host) ? .allowed(path: path) : .forbidden
    }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let rest =
      parts.count == 2
      ? parts[1].split(
        separator: "/", maxSplits: 1, omittingEmptySubsequences: false) : []
    if let first = rest.first, Self.isSame(String(first), token) {
      return .allowed(path: "/" + (rest.count == 2 ? rest[1] : ""))
    }
    if let password = headers.authorization.flatMap(BasicPassword.init),
      Self.isSame(
        password.text, token)
    {
      return .allowed(path: path)
    }
    return .unauthorized
  }

  /// Whether the API is for whoever sends these headers: somebody on this machine, by a name that
  /// is always this machine's, and no web page but one that this very server gave out.
  public func servesPrograms(_ headers: Headers) -> Bool {
    guard token == nil, let host = headers.host, Self.isLoopback(host) else { return false }
    if let origin = headers.origin, origin.lowercased() != "http://\(host.lowercased())" {
      return false
    }
    return headers.fetchSite.map { ["none", "same-origin"].contains($0) } ?? true
  }

  private static func isLoopback(_ host: String?) -> Bool {
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

  /// In a time that does not tell how much of it is right.
  private static func isSame(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    var difference = given.count ^ token.count
    for (index, byte) in token.enumerated() {
      difference |= Int(byte ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }
}

/// The password of `Authorization: Basic …` (RFC 7617).
struct BasicPassword {
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
