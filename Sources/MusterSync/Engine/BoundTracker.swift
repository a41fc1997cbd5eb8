public import MusterModel

/// Certificates whose entries were refused because a per-certificate bound was reached.
///
/// It holds at most one entry per certificate and table, so it needs no bound of its own. It is
/// empty at startup and fills again from what peers offer.
struct BoundTracker: Sendable {
  private var refused: [CertificateHash: [BoundedTable: UInt64]] = [:]

  mutating func note(_ table: BoundedTable, of certificate: CertificateHash) {
    refused[certificate, default: [:]][table, default: 0] += 1
  }

  /// Removes the certificates that satisfy a condition.
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
  /// Devices that reached a bound since startup, with the number of refused entries for each table.
  /// Revoked devices are left out: their refused entries affect no other device.
  public var boundsReached: [(device: DeviceID, table: BoundedTable, refusals: UInt64)] {
    context.bounds.all.compactMap { entry in
      guard let device = context.roster.device(of: entry.certificate),
        !context.roster.revoked.contains(device)
      else { return nil }
      return (device, entry.table, entry.refusals)
    }
  }
}
