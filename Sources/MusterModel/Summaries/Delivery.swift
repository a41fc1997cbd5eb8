/// How far a report has come, as far as this node can tell for certain: one figure, computed in one
/// place, which every list, page and export shows.
public struct Delivery: Codable, Hashable, Sendable {
  /// Devices known to hold all of it: this one, its authors, those that confirmed it to this node
  /// by the hashes of what they hold, and command devices by their signed receipts. Others may hold
  /// it too: never too many are counted.
  public let devices: Int
  /// Devices of the operation that are not revoked, relays among them.
  public let total: Int
  /// Whether a device of role `command` holds all of it, by its signed receipt, over however many
  /// hops that came.
  public let commandPost: Bool
  /// Since one of the devices last confirmed to this node that it holds all of it, by this node's
  /// own clock; nil if none did since the start.
  public let ageSeconds: Int64?

  /// `devices` is at least 1, whoever shows a report holds it, and `total` is no less.
  public init(devices: Int, total: Int, commandPost: Bool, ageSeconds: Int64? = nil) {
    precondition(devices >= 1 && total >= devices, "held by \(devices) of \(total) devices")
    self.devices = devices
    self.total = total
    self.commandPost = commandPost
    self.ageSeconds = ageSeconds
  }

  /// Refuses a report that no device holds, or that more devices hold than there are.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    devices = try container.decode(Int.self, forKey: .devices)
    total = try container.decode(Int.self, forKey: .total)
    commandPost = try container.decode(Bool.self, forKey: .commandPost)
    ageSeconds = try container.decodeIfPresent(Int64.self, forKey: .ageSeconds)
    guard devices >= 1, total >= devices else {
      throw DecodingError.dataCorruptedError(
        forKey: .devices, in: container,
        debugDescription: "held by \(devices) of \(total) devices")
    }
  }

  /// `on 2 of 3 devices · command post ✓ · 40 s ago`.
  public var text: String {
    let age = ageSeconds.map { " · \(RoundedSpan(seconds: UInt64(max(0, $0)))) ago" } ?? ""
    return "on \(devices) of \(total) \(total == 1 ? "device" : "devices")"
      + " · \(commandPost ? "command post ✓" : "not yet at the command post")\(age)"
  }
}
