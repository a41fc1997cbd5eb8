internal import MusterCrypto
internal import MusterModel

/// A blob about which the peers were queried.
struct ActiveBlob: Sendable {
  let order: UInt64
  let since: Instant
  /// What each peer that answered holds.
  private(set) var holders: [DeviceID: UnitSet] = [:]
  private(set) var nodes: BlobNodes

  init(_ listing: BlobListing, order: UInt64, since: Instant) {
    (self.order, self.since) = (order, since)
    nodes = BlobNodes(of: listing)
  }

  mutating func note(_ nodes: BlobNodes) { self.nodes = nodes }

  mutating func note(_ set: UnitSet?, of device: DeviceID) { holders[device] = set }
}
