internal import HummingbirdCore
internal import NIOCore

extension HTTP1Channel.Configuration {
  private static var headerBytes: Int { 8 * 1024 }

  /// Returns the configuration of every listener: the sizes of headers and the duration of
  /// connections are bounded.
  ///
  /// - Parameters:
  ///   - pending: those without an accepted request; nil for a listener that only this machine
  ///     reaches.
  ///   - inputs: receives the connections whose client sends nothing more.
  static func bounded(
    idle: TimeAmount, pending: PendingConnections? = nil, inputs: ClosedInputs? = nil
  ) -> HTTP1Channel.Configuration {
    .init(
      additionalChannelHandlers: [ConnectionLifetime(pending: pending, inputs: inputs)],
      idleTimeout: idle,
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: headerBytes, maxHeaderListSize: headerBytes, maxHeaderFieldCount: 64))
  }
}
