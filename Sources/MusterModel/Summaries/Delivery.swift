/// The confirmed delivery status of a report at this node: one figure, computed in one place, which
/// every list, page and export shows.
public struct Delivery: Codable, Hashable, Sendable {
  /// Devices known to hold all of it: this one, its authors, peers that confirmed it to this node
  /// by the hashes of their data, command devices and archives by signed receipts. A lower bound:
  /// other devices may hold it too.
  public let devices: Int
  /// Devices of the operation that are not revoked, including relays.
  public let total: Int
  /// Whether a device of role `command` holds all of it, by its signed receipt, over any number of
  /// hops.
  public let commandPost: Bool
  /// Whether a device of role `archive` holds all of it, by its signed receipt.
  public let archive: Bool
  /// Seconds since a device last confirmed to this node that it holds all of it, by this node's own
  /// clock; nil if none has since the start.
  public let ageSeconds: Int64?

  /// Creates a status. `devices` MUST be at least 1, for this node, and `total` no less.
  public init(
    devices: Int, total: Int, commandPost: Bool, archive: Bool = false, ageSeconds: Int64? = nil
  ) {
    precondition(devices >= 1 && total >= devices, "held by \(devices) of \(total) devices")
    self.devices = devices
    self.total = total
    self.commandPost = commandPost
    self.archive = archive
    self.ageSeconds = ageSeconds
  }

  /// Decodes a status. Rejects a report that no device holds, or more holders than devices.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    devices = try container.decode(Int.self, forKey: .devices)
    total = try container.decode(Int.self, forKey: .total)
    commandPost = try container.decode(Bool.self, forKey: .commandPost)
    archive = try container.decode(Bool.self, forKey: .archive)
    ageSeconds = try container.decodeIfPresent(Int64.self, forKey: .ageSeconds)
    guard devices >= 1, total >= devices else {
      throw DecodingError.dataCorruptedError(
        forKey: .devices, in: container,
        debugDescription: "held by \(devices) of \(total) devices")
    }
  }

  /// `on 2 of 3 devices · command post ✓ · archive ✓ · 40 s ago`.
  public var text: String {
    let age = ageSeconds.map { " · \(RoundedSpan(seconds: UInt64(max(0, $0)))) ago" } ?? ""
    return "on \(devices) of \(total) \(total == 1 ? "device" : "devices")"
      + " · \(commandPost ? "command post ✓" : "not yet at the command post")"
      + (archive ? " · archive ✓" : "") + age
  }
}

/// How far a log of this device reaches: what a command wrote is confirmed where others hold it
/// that far.
public struct WrittenThrough: Codable, Hashable, Sendable {
  /// One of this device's logs.
  public let log: LogID
  /// Of its newest frame.
  public let sequence: UInt64

  /// A position in a log.
  public init(log: LogID, sequence: UInt64) {
    self.log = log
    self.sequence = sequence
  }
}
