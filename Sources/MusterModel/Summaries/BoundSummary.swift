/// A table that other devices fill, with a limit for each certificate.
public enum BoundedTable: UInt8, Codable, NamedCase, Comparable, Hashable, Sendable {
  /// Logs opened with the certificate, per lane.
  case logs = 1
  /// Receipts that it signed.
  case receipts = 2
  /// Trackers whose positions it publishes.
  case trackers = 3
  /// Epochs that seal its frames and whose keys are missing here.
  case missingKeys = 4
  /// Certificates that were issued under it and that no control log contains.
  case certificates = 5
  /// Its frames after the cut-off of a revocation.
  case quarantine = 6
  /// Running check-ins that it started.
  case checkIns = 7
  /// People without a certificate or a tracker here that its user names.
  case unknownPeople = 8

  /// The name for people.
  public var label: String {
    switch self {
    case .logs: "logs"
    case .receipts: "receipts"
    case .trackers: "trackers"
    case .missingKeys: "unknown keys"
    case .certificates: "certificates"
    case .quarantine: "frames after its revocation"
    case .checkIns: "check-ins"
    case .unknownPeople: "unknown people"
    }
  }

  /// Orders by number.
  public static func < (left: BoundedTable, right: BoundedTable) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A device that has reached a limit: this node rejects its further entries of that kind.
public struct BoundSummary: Codable, Hashable, Sendable {
  /// The device whose entries are rejected.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// The table whose limit was reached.
  public var bound: BoundedTable
  /// Entries rejected since the start of the program.
  public var refusals: UInt64

  /// Creates a summary of a reached limit.
  public init(device: DeviceID, callsign: String, bound: BoundedTable, refusals: UInt64) {
    self.device = device
    self.callsign = callsign
    self.bound = bound
    self.refusals = refusals
  }
}
