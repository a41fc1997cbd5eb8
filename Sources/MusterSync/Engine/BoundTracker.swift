public import MusterModel

/// Whose entries were refused because a bound for its certificate was reached.
///
/// It has one entry for each certificate and table at most, so it needs no bound of its own. It is
/// empty at a start: what peers offer again fills it.
struct BoundTracker: Sendable {
  private var refused: [CertificateHash: [BoundedTable: UInt64]] = [:]

  mutating func note(_ table: BoundedTable, of certificate: CertificateHash) {
    refused[certificate, default: [:]][table, default: 0] += 1
  }

  /// Forgets the certificates that satisfy a condition.
  mutating func forget(where isDone: (CertificateHash) -> Bool) {
    refused = refused.filter { !isDone($0.key) }
  }

  /// By certificate, then by table.
  var all: [(certificate: CertificateHash, table: BoundedTable, refusals: UInt64)] {
    refused.sorted { $0.key < $1.key }.flatMap { certificate, tables in
      tables.sorted { $0.key < $1.key }.map { (certificate, $0.key, $0.value) }
    }
  }
}

extension SyncEngine {
  /// Devices that have reached a bound since the start, and how many entries of each were refused.
  /// Revoked devices are left out: what they fill affects nobody else.
  public var boundsReached: [(device: DeviceID, table: BoundedTable, refusals: UInt64)] {
    bounds.all.compactMap { entry in
      guard let device = roster.device(of: entry.certificate), !roster.revoked.contains(device)
      else { return nil }
      return (device, entry.table, entry.refusals)
    }
  }

  /// Whether one more log of a certificate and lane may be held.
  ///
  /// The bound is for each certificate and lane, so that nobody takes the room of others, and a
  /// thief who opens logs of one lane leaves room in the others. A few logs of each are held even
  /// where the table as a whole is full. Logs that a revocation names are held in any case: their
  /// number is bounded by the revocation.
  func hasRoomForLog(_ log: LogID, of opening: Opening) -> Bool {
    if let part = roster.parts[log], part.end != nil { return true }
    #if Canary
      if Canary.globalLogBound.isPlanted { return shelf.logs.count < Limits.logsPerLane }
    #endif
    let count = shelf.logCount(of: opening.certificate, in: opening.lane)
    return count < Limits.logsReserved
      || (count < Limits.logsPerLane && shelf.logs.count < Limits.logs)
  }
}
