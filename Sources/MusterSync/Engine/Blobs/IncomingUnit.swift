internal import MusterCrypto
internal import MusterModel

/// A unit that is being received. Its leaves are kept if the peer is lost, and the next one is
/// asked for the rest.
struct IncomingUnit: Sendable {
  let listing: BlobListing
  let number: Int
  /// The peer that was asked; nil if none is.
  private(set) var source: DeviceID?
  /// When something of it arrived last, or was requested.
  private(set) var moved: Instant
  private var proof: BlobProof?
  private var leaves: [Int: [UInt8]] = [:]
  /// Leaves that arrived before the proof: unverified.
  private var early: [Int: [UInt8]] = [:]

  init(listing: BlobListing, number: Int, now: Instant) {
    self.listing = listing
    self.number = number
    moved = now
  }

  private var range: Range<Int> { listing.shape.leaves(of: number) }
  /// Leaves that are neither verified nor waiting for the proof.
  var missing: Int { range.count - leaves.count - early.count }
  var isComplete: Bool { leaves.count == range.count }

  func want(of blob: BlobID) -> BlobWant {
    var mask: UInt16 = 0
    for index in 0..<range.count where leaves[index] == nil && early[index] == nil {
      mask |= 1 << UInt16(index)
    }
    return BlobWant(blob: blob, unit: number, wantsProof: proof == nil, leaves: mask)
  }

  /// Takes the proof. Returns false if it, or a leaf that came before it, is not of this blob.
  mutating func take(hashes: [Bytes32]) -> Bool {
    guard proof == nil else { return true }
    guard hashes.count >= range.count else { return false }
    let new = BlobProof(
      leaves: Array(hashes.prefix(range.count)), path: Array(hashes.dropFirst(range.count)))
    guard new.isValid(for: number, of: listing) else { return false }
    proof = new
    defer { early = [:] }
    var isGenuine = true
    for (index, bytes) in early {
      if new.isLeaf(bytes, at: index) {
        leaves[index] = bytes
      } else {
        isGenuine = false
      }
    }
    return isGenuine
  }

  /// Takes a leaf. Returns false if it is not of this blob.
  mutating func take(_ bytes: [UInt8], leaf: Int) -> Bool {
    guard range.contains(leaf), bytes.count == listing.shape.bytes(ofLeaf: leaf).count else {
      return false
    }
    let index = leaf - range.lowerBound
    guard leaves[index] == nil else { return true }
    guard let proof else {
      early[index] = bytes
      return true
    }
    guard proof.isLeaf(bytes, at: index) else { return false }
    leaves[index] = bytes
    return true
  }

  /// Notes that a peer was asked.
  mutating func ask(_ device: DeviceID, now: Instant) {
    source = device
    moved = now
  }

  mutating func noteArrival(now: Instant) { moved = now }

  /// Notes that the asked peer is lost. What it sent before a proof is dropped.
  mutating func release() {
    source = nil
    early = [:]
  }

  /// Returns the unit once all its leaves are verified.
  func unit(of blob: BlobID) -> BlobUnit? {
    guard isComplete, let proof else { return nil }
    return BlobUnit(
      blob: blob, length: Int(listing.length), number: number, path: proof.path,
      bytes: (0..<range.count).flatMap { leaves[$0] ?? [] })
  }
}
