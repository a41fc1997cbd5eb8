internal import MusterModel

/// Which unit is requested next.
extension BlobExchange {
  /// Whether another blob may be active.
  var hasRoom: Bool {
    active.count < Limits.activeLargeBlobs
      || active.count < Limits.activeBlobs
        && active.keys.reduce(0) { $0 + (catalog[$1]?.units.units ?? 0) } < Limits.activeUnits
  }

  /// The certificates of which no further blob becomes active while most active blobs are held by
  /// no peer: the last places are for other authors, so that one who lists blobs and serves none
  /// delays no other's. On a wide link the places are free again in seconds.
  func busyCertificates(_ context: Context) -> Set<CertificateHash> {
    guard context.outbox.links.isNarrow,
      active.count >= Limits.activeBlobs - Limits.activeBlobsOfOthers
    else { return [] }
    let lacking = active.filter { !isHeld($0.value) }.keys
    guard lacking.count >= Limits.activeBlobs - Limits.activeBlobsOfOthers else { return [] }
    return Set(lacking.flatMap { catalog[$0]?.turns.map(\.certificate) ?? [] })
  }

  /// The unit to request, of the first class of which the peer holds a missing one.
  ///
  /// Of the units that only this peer holds, every device fetches others first, so that the peer
  /// sends each one once and the devices serve each other. Then the order is that of the blobs, and
  /// the rarest unit is first.
  func next(from device: DeviceID, context: Context) -> BlobUnitKey? {
    let blobs = active.filter { $0.value.holders[device]?.isEmpty == false }.sorted {
      let (left, right) = (catalog[$0.key]?.goal ?? .none, catalog[$1.key]?.goal ?? .none)
      return (left, $0.value.order) < (right, $1.value.order)
    }
    var best: (key: BlobUnitKey, goal: BlobGoal, merit: (Int, UInt64, Int, UInt64))?
    for (id, blob) in blobs {
      guard let entry = catalog[id], let offered = blob.holders[device] else { continue }
      if let best, best.goal < entry.goal { break }
      let others = context.peers.connected.filter {
        $0 != device && peers[$0]?.queried.contains(id) == true
      }
      for unit in 0..<entry.units.units
      where offered.contains(unit) && !entry.units.contains(unit) {
        let key = BlobUnitKey(blob: id, unit: unit)
        guard incoming[key]?.source == nil else { continue }
        let holders = blob.holders.values.count { $0.contains(unit) }
        let draw = key.draw(by: context.local.device)
        let isOwn = others.allSatisfy { key.draw(by: $0) > draw }
        let merit = (holders > 1 ? 1 : isOwn ? 0 : 2, blob.order, holders, draw)
        if best.map({ merit < $0.merit }) ?? true { best = (key, entry.goal, merit) }
      }
    }
    return best?.key
  }
}
