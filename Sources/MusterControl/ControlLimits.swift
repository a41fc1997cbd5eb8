/// Every bound of the local socket, with its reason.
enum ControlLimits {
  /// The largest command is a fence's outline: 7,000 vertices of eight bytes.
  static let requestBytes = 1024 * 1024
  /// A list of 100,000 reports with some words each.
  static let responseBytes = 64 * 1024 * 1024
  /// Programs of one person on one machine; a further one is turned away.
  static let connections = 64
  /// Requests sent ahead of their answers; a client that sends more is cut off.
  static let pendingRequests = 16
}
