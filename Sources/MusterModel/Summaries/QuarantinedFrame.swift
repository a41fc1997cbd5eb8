/// A frame past a cut: held, counted nowhere, and perhaps honest late work.
public struct QuarantinedFrame: Codable, Hashable, Sendable {
  /// What it is released by.
  public var hash: FrameHash
  /// Whose it is; the device was revoked, or its log has too many branches.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// The log that it stands in.
  public var log: LogID
  /// The lane of the log.
  public var lane: Lane
  /// Its place in the log.
  public var sequence: UInt64
  /// As its author's clock claimed; nil where no key at hand opens it.
  public var writtenAt: Timestamp?
  /// What it says, a line each; empty where no key at hand opens it.
  public var contents: [String]

  /// The caller MUST hold the frame.
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
