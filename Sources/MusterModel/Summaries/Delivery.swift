/// How far a report has come, as far as this node can tell for certain.
public struct Delivery: Codable, Hashable, Sendable {
  /// Devices that confirmed to this node, by the hashes of what they hold, that they hold all of
  /// it; this one counts. Others may hold it too: never too many are counted.
  public var devices: Int
  /// Whether a device of role `command` holds all of it, by its signed receipt, over however many
  /// hops that came.
  public var commandPost: Bool

  /// `devices` is at least 1: whoever shows a report holds it.
  public init(devices: Int, commandPost: Bool) {
    precondition(devices >= 1, "held by \(devices) devices")
    self.devices = devices
    self.commandPost = commandPost
  }

  /// Refuses a report that no device holds.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    devices = try container.decode(Int.self, forKey: .devices)
    commandPost = try container.decode(Bool.self, forKey: .commandPost)
    guard devices >= 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .devices, in: container, debugDescription: "held by \(devices) devices")
    }
  }
}
