/// What a position or presence record states about its device, besides the position.
public struct Telemetry: Codable, Hashable, Sendable {
  /// The battery's charge in percent, 0 to 100; nil if it is not known.
  public let batteryPercent: UInt8?
  /// Seconds from the device's last movement to the record; nil if they are not stated.
  public let stillSeconds: UInt32?

  /// States nothing.
  public static let none = Telemetry()
  /// A battery with this charge or less is low.
  public static let lowBatteryPercent: UInt8 = 15
  /// A low battery counts as low until its charge exceeds this.
  public static let recoveredBatteryPercent: UInt8 = 20

  /// Creates telemetry. A charge of more than 100 % is not known, and longer times are
  /// `Limits.spanSeconds`.
  public init(batteryPercent: UInt8? = nil, stillSeconds: UInt32? = nil) {
    self.batteryPercent = batteryPercent.flatMap { $0 <= 100 ? $0 : nil }
    self.stillSeconds = stillSeconds.map { min($0, Limits.spanSeconds) }
  }
}
