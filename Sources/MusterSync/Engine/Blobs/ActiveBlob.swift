internal import MusterCrypto
internal import MusterModel

/// A blob about which the peers were queried.
struct ActiveBlob: Sendable {
  let order: UInt64
  private(set) var since: Instant
  /// Whether all peers were queried, and not only the author.
  private(set) var isSought: Bool
  /// What each peer that answered holds.
  private(set) var holders: [DeviceID: UnitSet] = [:]
  private(set) var nodes: BlobNodes

  init(_ listing: BlobListing, order: UInt64, since: Instant, isSought: Bool) {
    (self.order, self.since, self.isSought) = (order, since, isSought)
    nodes = BlobNodes(of: listing)
  }

  mutating func seek(now: Instant) { (since, isSought) = (now, true) }

  mutating func note(_ nodes: BlobNodes) { self.nodes = nodes }

  mutating func note(_ set: UnitSet?, of device: DeviceID) { holders[device] = set }
}
