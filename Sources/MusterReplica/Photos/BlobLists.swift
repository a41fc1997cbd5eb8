internal import MusterCrypto
internal import MusterModel
internal import MusterStore

/// The lists of blobs in frames that count, as many of each certificate as its bound permits.
///
///     frames that count ─▶ lists by certificate, in order ─▶ up to the bound: counted ─▶ by blob
///                                                         └▶ beyond it: the blob is not fetched
///
/// Each list counts against the bound of its own certificate, so no list uses up the bound of
/// another author, and a blob is fetched if any of its lists is counted. The lists of a certificate
/// are in an order that its author alone determines: by generation, lane, log and sequence. The
/// counted ones are the longest run from the first that the bound permits. So all of this is a
/// function of the set of lists, whatever the order of their arrival.
struct BlobLists: Sendable {
  private var certificates: [CertificateHash: CertificateLists] = [:]
  private var counted: [BlobID: [CountedList]] = [:]
  /// Blobs of lists that are beyond the bound of their certificate.
  private var beyond: Set<BlobID> = []

  /// Returns the counted lists of a blob.
  subscript(_ blob: BlobID) -> [CountedList] { counted[blob] ?? [] }

  /// Whether a blob is not fetched because every certificate that lists it is over its bound.
  func isOverBound(_ blob: BlobID) -> Bool { beyond.contains(blob) && counted[blob] == nil }

  /// How many blobs are not fetched for that reason.
  var overBound: Int { beyond.count { counted[$0] == nil } }

  /// Returns the logs with a counted list of a blob, each with the sequence of the frame.
  ///
  /// - Parameter certificate: whose logs; nil for all.
  func places(
    of blob: BlobID, by certificate: CertificateHash? = nil
  ) -> [BlobReceipts.Place] {
    self[blob].compactMap { list in
      guard !list.entry.isOnBranch, certificate.map({ $0 == list.certificate }) ?? true else {
        return nil
      }
      return (list.entry.log, UInt64(list.entry.sequence))
    }
  }

  /// Adds a list of a frame that counts. Returns the blobs of which other lists count than before.
  mutating func add(_ list: ListedBlob) -> Set<BlobID> {
    let certificate = list.opening.certificate
    let entry = CertificateLists.Entry(list)
    #if Canary
      if Canary.firstListCounts.isPlanted, beyond.contains(entry.blob) { return [] }
    #endif
    var changed: Set<BlobID> = [entry.blob]
    let displaced = certificates[certificate, default: CertificateLists()].insert(entry)
    if !displaced.contains(entry) {
      counted[entry.blob, default: []].append(CountedList(certificate: certificate, entry: entry))
    }
    for other in displaced {
      beyond.insert(other.blob)
      changed.insert(other.blob)
      guard other != entry else { continue }
      counted[other.blob]?.removeAll { $0.certificate == certificate && $0.entry == other }
      if counted[other.blob]?.isEmpty == true { counted[other.blob] = nil }
    }
    return changed
  }

  /// Whether a certificate may list two further blobs, of so many bytes together.
  func hasRoom(for bytes: Int, of certificate: CertificateHash) -> Bool {
    certificates[certificate, default: CertificateLists()].hasRoom(for: bytes)
  }
}

/// A list that counts for fetching, and the certificate against whose bound it counts.
struct CountedList: Hashable, Sendable {
  let certificate: CertificateHash
  let entry: CertificateLists.Entry
}

/// The lists of one certificate up to its bound.
struct CertificateLists: Sendable {
  /// What of a list decides whether it counts, and when its blob is fetched. There are 20,000 in
  /// memory for 10,000 photos.
  struct Entry: Hashable, Sendable {
    let blob: BlobID
    let log: LogID
    let generation: UInt32
    let sequence: UInt32
    let length: UInt32
    let lane: Lane
    let kind: BlobKind
    /// Whether its frame is on a branch of a forked log that has a name of its own. Receipts are
    /// about the branch with the name of the log.
    let isOnBranch: Bool

    init(_ list: ListedBlob) {
      blob = list.listing.id
      log = list.log
      generation = list.opening.generation
      sequence = UInt32(list.place.sequence)
      length = list.listing.length
      lane = list.opening.lane
      kind = list.listing.kind
      isOnBranch = list.place.log != list.log
    }

    /// The order of the lists of one certificate, which its author alone determines.
    static func isOrdered(_ left: Entry, _ right: Entry) -> Bool {
      if left.generation != right.generation { return left.generation < right.generation }
      if left.lane != right.lane { return left.lane.rawValue < right.lane.rawValue }
      if left.log != right.log { return left.log < right.log }
      return (left.sequence, left.blob, left.kind) < (right.sequence, right.blob, right.kind)
    }
  }

  /// In order.
  private var counted: [Entry] = []
  private var bytes = 0
  /// The first list that is beyond the bound; nil while all are within it.
  private var end: Entry?

  /// Inserts a list. Returns those that are beyond the bound now, itself included if it is.
  mutating func insert(_ entry: Entry) -> [Entry] {
    if let end, !Entry.isOrdered(entry, end) { return [entry] }
    counted.insert(entry, at: place(of: entry))
    bytes += Int(entry.length)
    var displaced: [Entry] = []
    while counted.count > Limits.blobsPerCertificate || bytes > Limits.blobBytesPerCertificate,
      let last = counted.popLast()
    {
      bytes -= Int(last.length)
      end = last
      displaced.append(last)
    }
    return displaced
  }

  private func place(of entry: Entry) -> Int {
    // Lists usually arrive in order.
    guard let last = counted.last, Entry.isOrdered(entry, last) else { return counted.count }
    return counted.firstPlace { !Entry.isOrdered($0, entry) }
  }

  func hasRoom(for more: Int) -> Bool {
    end == nil && counted.count + Limits.blobsPerFrame <= Limits.blobsPerCertificate
      && bytes + more <= Limits.blobBytesPerCertificate
  }
}
