internal import MusterCrypto
internal import MusterModel

/// A unit that is being received. Its leaves are kept if the peer is lost, and the next one is
/// asked for the rest.
///
///     leaves and path ─▶ verified as a whole ─▶ stored
///                              │ not of this blob
///                              ▼
///     proof ─▶ each leaf verified alone ─▶ forged ones dropped, and their senders named
///
/// The hashes of all leaves are four percent of a photo, so they are requested only to find a
/// forged leaf, or from a peer that does not read requests for a whole unit.
struct IncomingUnit: Sendable {
  private struct Leaf: Sendable {
    let bytes: [UInt8]
    let sender: DeviceID
  }

  let listing: BlobListing
  let number: Int
  /// The peer that was asked; nil if none is.
  private(set) var source: DeviceID?
  /// When something of it arrived last, or was requested.
  private(set) var moved: Instant
  private var leaves: [Int: Leaf] = [:]
  /// Parts of leaves by their places in the leaf, all from `source`.
  private var fragments: [Int: [Int: [UInt8]]] = [:]
  /// Siblings from the lowest one on, which are verified with the leaves.
  private var siblings: (hashes: [Bytes32], sender: DeviceID)?
  /// The verified hashes of the leaves. All leaves are verified then.
  private var proof: BlobProof?
  /// Whether the leaves did not lead to the root.
  private(set) var needsProof = false

  init(listing: BlobListing, number: Int, now: Instant) {
    self.listing = listing
    self.number = number
    moved = now
  }

  private var range: Range<Int> { listing.shape.leaves(of: number) }
  /// Leaves that have not arrived.
  var missing: Int { range.count - leaves.count }

  private var missingMask: UInt16 {
    (0..<range.count).reduce(0) { leaves[$1] == nil ? $0 | 1 << UInt16($1) : $0 }
  }

  /// The request in the form that every peer reads, with the proof if it is missing.
  func want(of blob: BlobID) -> BlobWant {
    BlobWant(blob: blob, unit: number, wantsProof: proof == nil, leaves: missingMask)
  }

  /// The request that is answered without the hashes of the leaves.
  ///
  /// - Parameter hashes: how many of the path are missing.
  func request(of blob: BlobID, number: UInt16, hashes: Int) -> BlobRequest {
    let needed = proof == nil && siblings == nil ? hashes : 0
    return BlobRequest(
      blob: blob, number: number, unit: self.number, hashes: needed, leaves: missingMask)
  }

  /// Notes that a peer was asked.
  mutating func ask(_ device: DeviceID, now: Instant) {
    source = device
    moved = now
    fragments = [:]
  }

  /// The least that keeps a request open, in bytes: a peer cannot hold it with single bytes.
  private static let progressBytes = 256

  var receivedBytes: Int {
    leaves.values.reduce(0) { $0 + $1.bytes.count }
      + fragments.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
  }

  /// Takes something, and keeps the request open if it was new: what is sent again moves nothing.
  mutating func noteProgress(now: Instant, _ take: (inout Self) -> Bool) -> Bool {
    let (missing, received) = (self.missing, receivedBytes)
    let isGenuine = take(&self)
    if self.missing != missing || receivedBytes >= received + Self.progressBytes { moved = now }
    return isGenuine
  }

  /// Notes that nothing can arrive at present: the time until now does not count.
  mutating func wait(until now: Instant) { moved = now }

  /// Notes that the asked peer is lost.
  mutating func release() { source = nil }

  // MARK: Receiving

  /// Takes a leaf. Returns false if it is not of this blob.
  mutating func take(_ bytes: [UInt8], index: Int, from sender: DeviceID) -> Bool {
    guard (0..<range.count).contains(index),
      bytes.count == listing.shape.bytes(ofLeaf: range.lowerBound + index).count
    else { return false }
    guard leaves[index] == nil else { return true }
    guard proof?.isLeaf(bytes, at: index) != false else { return false }
    leaves[index] = Leaf(bytes: bytes, sender: sender)
    return true
  }

  /// The most pieces of one leaf: an honest answer has parts of half a leaf or more.
  private static let mostFragments = 4

  /// Takes bytes of the unit from a place on. Returns false if they are not of this blob, or in
  /// pieces that cost much memory and time.
  mutating func take(_ bytes: [UInt8], at place: Int, from sender: DeviceID) -> Bool {
    guard place + bytes.count <= listing.shape.bytes(of: number).count else { return false }
    var (place, rest) = (place, bytes[...])
    while !rest.isEmpty {
      let (index, start) = place.quotientAndRemainder(dividingBy: BlobShape.leafBytes)
      let fragment = rest.prefix(BlobShape.leafBytes - start)
      (place, rest) = (place + fragment.count, rest.dropFirst(fragment.count))
      guard leaves[index] == nil, fragments[index]?[start] == nil else { continue }
      let held = fragments[index]?.values.reduce(0) { $0 + $1.count } ?? 0
      // One answer has no two parts that overlap.
      guard held + fragment.count <= BlobShape.leafBytes,
        fragments[index]?.count ?? 0 < Self.mostFragments
      else { return false }
      fragments[index, default: [:]][start] = Array(fragment)
      guard let leaf = wholeLeaf(index) else { continue }
      fragments[index] = nil
      guard take(leaf, index: index, from: sender) else { return false }
    }
    return true
  }

  /// Returns a leaf of which all fragments have arrived.
  private func wholeLeaf(_ index: Int) -> [UInt8]? {
    let count = listing.shape.bytes(ofLeaf: range.lowerBound + index).count
    var leaf: [UInt8] = []
    while leaf.count < count {
      guard let next = fragments[index]?[leaf.count] else { return nil }
      leaf += next
    }
    return leaf
  }

  mutating func take(siblings hashes: [Bytes32], from sender: DeviceID) {
    if siblings == nil { siblings = (hashes, sender) }
  }

  /// Takes the proof, and drops leaves that are not of this blob.
  ///
  /// - Returns: the senders of what is not of this blob.
  mutating func take(proof hashes: [Bytes32], from sender: DeviceID) -> Set<DeviceID> {
    guard proof == nil else { return [] }
    guard hashes.count >= range.count else { return [sender] }
    let new = BlobProof(
      leaves: Array(hashes.prefix(range.count)), path: Array(hashes.dropFirst(range.count)))
    guard new.isValid(for: number, of: listing) else { return [sender] }
    proof = new
    let forged = leaves.filter { !new.isLeaf($0.value.bytes, at: $0.key) }
    for index in forged.keys { leaves[index] = nil }
    // With genuine leaves, the siblings were not.
    let liar = needsProof && forged.isEmpty ? siblings?.sender : nil
    needsProof = false
    return Set(forged.values.map(\.sender)).union(liar.map { [$0] } ?? [])
  }

  /// What became of a unit.
  enum Result {
    case incomplete
    case whole(BlobUnit)
    /// All has arrived, and is not of this blob. Nil if it came from several peers.
    case forged(by: DeviceID?)
  }

  /// Verifies the unit once everything has arrived.
  mutating func verify(_ blob: BlobID, nodes: inout BlobNodes) -> Result {
    guard missing == 0, !needsProof else { return .incomplete }
    let bytes = (0..<range.count).flatMap { leaves[$0]?.bytes ?? [] }
    func unit(_ path: [Bytes32]) -> BlobUnit {
      BlobUnit(
        blob: blob, length: Int(listing.length), number: number, path: path, bytes: bytes)
    }
    #if Canary
      if Canary.storeUncheckedUnit.isPlanted, range.count > 2 {
        let mixed = [1, 0].flatMap { leaves[$0]?.bytes ?? [] } + bytes.dropFirst(2048)
        return .whole(
          BlobUnit(
            blob: blob, length: Int(listing.length), number: number,
            path: siblings?.hashes ?? [], bytes: mixed))
      }
    #endif
    if let proof {
      _ = nodes.verify(number, leaves: proof.leaves, siblings: proof.path)
      return .whole(unit(proof.path))
    }
    guard siblings != nil || nodes.missing(of: number) == 0 else { return .incomplete }
    let hashes = unit([]).proof().leaves
    if let path = nodes.verify(number, leaves: hashes, siblings: siblings?.hashes ?? []) {
      return .whole(unit(path))
    }
    needsProof = true
    let senders = Set(leaves.values.map(\.sender)).union(siblings.map { [$0.sender] } ?? [])
    return .forged(by: senders.count == 1 ? senders.first : nil)
  }
}
