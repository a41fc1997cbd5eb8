internal import AsyncHTTPClient
internal import MusterModel
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The message for the user about a failed uplink: what failed, and what to do.
struct UplinkFailureText {
  let error: String
  let advice: String

  private static let notAPost = "the server is not a command post of this operation"
  private static let wrongCertificate =
    "its certificate is not that of a command post of this operation"

  /// Whether the server may be an impostor, or a command post that this device does not know yet.
  var isSuspect: Bool { error == Self.notAPost || error == Self.wrongCertificate }

  init(_ error: any Error, target: UplinkTarget, proxy: UplinkProxy?) {
    let used = proxy.flatMap { $0.isFor(target.host) ? $0 : nil }
    let way = used.map { "the proxy \(Endpoint.authority($0.host, $0.port))" }
    switch error {
    case UplinkFault.stranger, UplinkFault.rubbish:
      self.error = Self.notAPost
      advice = "check the address, and that its node belongs to this operation and is not revoked"
    case UplinkFault.silent:
      self.error = "nothing received for \(UplinkConnection.silenceSeconds) seconds"
      advice = "none needed: it is retried automatically"
    case UplinkFault.status(let code):
      self.error = "the server is not a command post: HTTP status \(code)"
      advice =
        code == 503
        ? "the command post has reached its limit of uplinks: add another one"
        : "check the address, and that muster runs there with --serve"
    case UplinkFault.ended:
      self.error = "the command post closed the connection"
      advice = "none needed: it is retried automatically"
    case let fault as NIOSSLError:
      (self.error, advice) = Self.words(of: fault)
    case let fault as HTTPClientError where fault == .proxyAuthenticationRequired:
      self.error = "\(way ?? "the proxy") requires a name and a password"
      advice = "add them to the address: --proxy http://NAME:PASSWORD@HOST:PORT"
    case is HTTPClientError, is NIOConnectionError, is ChannelError, is IOError:
      self.error = Self.line((way.map { "by \($0): " } ?? "") + Self.words(ofConnecting: error))
      advice =
        "check that \(target.host) is reachable, that the command post runs --serve, and that its "
        + "firewall admits TCP port \(target.port)"
    default:
      self.error = Self.line("\(error)")
      advice = "none needed: it is retried automatically"
    }
  }

  private static func words(of fault: NIOSSLError) -> (error: String, advice: String) {
    if "\(fault)".contains("CERTIFICATE_VERIFY_FAILED") {
      return (
        wrongCertificate,
        "check the address. A TLS-intercepting proxy cannot be used. A new command post is "
          + "accepted once this laptop has synchronized with it, or with a device that knows it; "
          + "a revoked or rebuilt one must be named again by a commander"
      )
    }
    return (
      line("no TLS 1.3 connection with the server: \(fault)"),
      "check the address, and that muster runs there with --serve"
    )
  }

  /// Returns the system's error message without details that only a caller understands.
  static func words(ofConnecting error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first?.error {
        words(ofConnecting: first)
      } else {
        "no address found for \(error.host)"
      }
    default: "\(error)"
    }
  }

  /// Leaves out where in the source code of a library an error arose: it names folders of the
  /// machine that built the program.
  static func withoutSources(_ text: String) -> String {
    text.replacing(#/ at \/[^\]]+?:\d+/#, with: "")
  }

  /// Returns a text for users, in one line.
  static func line(_ text: String) -> String {
    String(withoutSources(text).prefix(200).map { $0.isNewline ? " " : $0 })
  }
}
