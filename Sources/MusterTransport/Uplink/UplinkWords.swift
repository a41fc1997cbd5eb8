internal import AsyncHTTPClient
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

/// What went wrong with an uplink, for its user: what is the matter, and what to do about it.
struct UplinkWords {
  let error: String
  let advice: String

  init(_ error: any Error, target: UplinkTarget, proxy: UplinkProxy?) {
    let way = proxy.map { $0.isFor(target.host) ? "the proxy \($0.host):\($0.port)" : nil } ?? nil
    switch error {
    case UplinkFault.stranger, UplinkFault.rubbish:
      self.error = "what answers there does not speak as a command post of this operation"
      advice = "check the address; is its node of this operation, and not revoked?"
    case UplinkFault.silent:
      self.error = "nothing came for \(UplinkConnection.silenceSeconds) seconds"
      advice = "nothing: it is tried again"
    case UplinkFault.status(let code):
      self.error = "what answers there is no command post: status \(code)"
      advice =
        code == 503
        ? "the command post has as many uplinks as it takes: name another one too"
        : "check the address, and that muster runs there with --serve"
    case UplinkFault.ended:
      self.error = "the command post ended it"
      advice = "nothing: it is tried again"
    case let fault as NIOSSLError:
      (self.error, advice) = Self.words(of: fault)
    case let fault as HTTPClientError where fault == .proxyAuthenticationRequired:
      self.error = "\(way ?? "the proxy") asks for a name and a password"
      advice = "write them into the address: --proxy http://NAME:PASSWORD@HOST:PORT"
    case is HTTPClientError, is NIOConnectionError, is ChannelError, is IOError:
      self.error = Self.line((way.map { "by \($0): " } ?? "") + Self.words(ofConnecting: error))
      advice =
        "is there a way to \(target.host)? Does the command post run with --serve, and does its "
        + "firewall let TCP port \(target.port) in?"
    default:
      self.error = Self.line("\(error)")
      advice = "nothing: it is tried again"
    }
  }

  private static func words(of fault: NIOSSLError) -> (error: String, advice: String) {
    if "\(fault)".contains("CERTIFICATE_VERIFY_FAILED") {
      return (
        "its certificate is none that a command post of this operation has named",
        "check the address. A proxy that looks inside TLS cannot be used; a revoked or rebuilt "
          + "command post has to be named anew by one that counts"
      )
    }
    return (
      line("no TLS 1.3 with what answers there: \(fault)"),
      "check the address, and that muster runs there with --serve"
    )
  }

  /// What the system says, without what only its caller understands.
  private static func words(ofConnecting error: any Error) -> String {
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

  private static func line(_ text: String) -> String {
    String(text.prefix(200).map { $0.isNewline ? " " : $0 })
  }
}
