/// The bounds of the proximity log. With them a full log has less than 50 MB.
public enum ProximityLimits {
  /// The most days that are kept. The user can set fewer.
  public static let days: UInt32 = 14
  /// The identifiers that one interval of ten minutes holds.
  public static let identifiersPerInterval = 1100
  /// The names that one interval holds.
  public static let namesPerInterval = 60
  /// The longest name, in bytes.
  public static let nameBytes = 32
  /// The longest line of a scanner, in bytes.
  public static let lineBytes = 512
  /// The devices of one list.
  public static let devicesPerList = 5000
  /// How far ahead of this device's clock a sighting may be.
  public static let aheadMilliseconds: Int64 = 10 * 60 * 1000
  /// How far a sighting of a datagram, which is not authenticated, may be from its arrival.
  public static let datagramMilliseconds: Int64 = 2 * 60 * 1000
  /// How far a sighting may be from the interval of the identifier that it matches.
  public static let matchIntervals: UInt32 = 12
  /// The keys of one match run.
  public static let keysPerMatch = 1400
}
