internal import AsyncHTTPClient
internal import Foundation
public import MusterModel
internal import NIOCore
internal import NIOHTTP1

/// Posts signed events to one webhook, one at a time, and returns the outcome of each.
///
/// Headers follow Standard Webhooks: `webhook-id`, `webhook-timestamp` (seconds) and
/// `webhook-signature`, which is `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. Only
/// the status of a response is used. A redirect counts as a refusal, since the signed event is
/// meant for one address.
public struct WebhookLine: Sendable, Redacted {
  /// The outcome of one post.
  public enum Outcome: Hashable, Sendable {
    /// The server accepted the event.
    case taken
    /// No response, with the reason: common in the field.
    case unreachable(String)
    /// The server may accept the event later.
    case busy(String)
    /// The server rejected the event.
    case refused(String)
  }

  private static let connectSeconds: Int64 = 10
  private static let answerSeconds: Int64 = 15

  private let address: WebhookAddress
  private let key: [UInt8]
  private let client: HTTPClient

  /// Creates a client. MUST be closed.
  ///
  /// - Parameters:
  ///   - secret: a text. After the prefix `whsec_` it is the base64 of the key; otherwise the text
  ///     itself is the key.
  ///   - proxy: the HTTP proxy to use; nil for none.
  public init(to address: WebhookAddress, secret: String, proxy: UplinkProxy?) {
    self.address = address
    key = Self.key(of: secret)
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(
        connect: .seconds(Self.connectSeconds), read: .seconds(Self.answerSeconds)),
      proxy: proxy.flatMap { $0.isFor(address.host) ? $0.configuration : nil },
      ignoreUncleanSSLShutdown: true, decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Closes the connection.
  public func close() async throws { try await client.shutdown() }

  /// Posts an event. Returns within half a minute, whatever the server does.
  ///
  /// - Parameters:
  ///   - id: the same for every retry of one event.
  ///   - now: this device's wall clock, by which the server detects replays.
  public func post(id: String, type: String, body: String, now: Timestamp) async -> Outcome {
    let seconds = now.milliseconds / 1000
    var request = HTTPClientRequest(url: address.url)
    request.method = .POST
    request.headers = [
      "content-type": type, "webhook-id": id, "webhook-timestamp": "\(seconds)",
      "webhook-signature": Self.signature(of: "\(id).\(seconds).\(body)", by: key),
    ]
    request.body = .bytes(ByteBuffer(string: body))
    do {
      // The body of the response is not read: releasing it closes the connection if the server
      // keeps sending.
      let response = try await client.execute(request, timeout: .seconds(Self.answerSeconds))
      return Self.outcome(Int(response.status.code))
    } catch {
      return .unreachable(UplinkFailureText.line(UplinkFailureText.words(ofConnecting: error)))
    }
  }

  private static func outcome(_ status: Int) -> Outcome {
    switch status {
    case 200...299: .taken
    case 408, 425, 429, 500...599: .busy("it answered \(status)")
    case 300...399: .refused("it answered \(status): name the address that it redirects to")
    default: .refused("it answered \(status)")
    }
  }

  static func signature(of text: String, by key: [UInt8]) -> String {
    "v1," + Data(SHA256.code(of: Array(text.utf8), by: key)).base64EncodedString()
  }

  static func key(of secret: String) -> [UInt8] {
    guard secret.hasPrefix("whsec_"), let key = Data(base64Encoded: String(secret.dropFirst(6)))
    else { return Array(secret.utf8) }
    return Array(key)
  }
}
