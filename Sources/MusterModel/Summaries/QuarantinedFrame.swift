/// A frame after a cut-off: held without effect, and perhaps honest late work.
public struct QuarantinedFrame: Codable, Hashable, Sendable {
  /// The hash by which it is released.
  public var hash: FrameHash
  /// Its author's device, which was revoked, or whose log has too many branches.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// The log that contains it.
  public var log: LogID
  /// The lane of the log.
  public var lane: Lane
  /// Its sequence in the log.
  public var sequence: UInt64
  /// By its author's clock; nil if no available key opens it.
  public var writtenAt: Timestamp?
  /// Its content, one line per entry; empty if no available key opens it.
  public var contents: [String]

  /// Creates a value. The caller MUST hold the frame.
  public init(
    hash: FrameHash, device: DeviceID, callsign: String, log: LogID, lane: Lane, sequence: UInt64,
    writtenAt: Timestamp?, contents: [String]
  ) {
    self.hash = hash
    self.device = device
    self.callsign = callsign
    self.log = log
    self.lane = lane
    self.sequence = sequence
    self.writtenAt = writtenAt
    self.contents = contents
  }
}
