/// A table that other devices fill, and that is bounded for each certificate.
public enum BoundedTable: UInt8, Codable, CaseIterable, Comparable, Hashable, Sendable {
  /// Logs that were opened with the certificate, lane by lane.
  case logs = 1
  /// Receipts by it.
  case receipts = 2
  /// Trackers whose positions it publishes.
  case trackers = 3
  /// Epochs that its frames were sealed under and whose keys are missing here.
  case missingKeys = 4
  /// Certificates that were issued under it and that no control log brought.
  case certificates = 5
  /// Frames of it past the cut of a revocation.
  case quarantine = 6

  /// What JSON calls it.
  public var name: String { String(describing: self) }

  /// What people call it.
  public var label: String {
    switch self {
    case .logs: "logs"
    case .receipts: "receipts"
    case .trackers: "trackers"
    case .missingKeys: "unknown keys"
    case .certificates: "certificates"
    case .quarantine: "frames after its revocation"
    }
  }

  /// The order of the numbers.
  public static func < (left: BoundedTable, right: BoundedTable) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A device that has reached a bound: what more it sends of that sort is refused here.
public struct BoundSummary: Codable, Hashable, Sendable {
  /// The device whose entries are refused.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// What there is too much of.
  public var bound: BoundedTable
  /// How many entries were refused since the start of the program.
  public var refusals: UInt64

  /// A bound that was reached.
  public init(device: DeviceID, callsign: String, bound: BoundedTable, refusals: UInt64) {
    self.device = device
    self.callsign = callsign
    self.bound = bound
    self.refusals = refusals
  }
}
