internal import MusterModel

/// The blobs of one connected peer: what is requested from it, and what it asked about.
struct PeerBlobs: Sendable {
  private(set) var requests: [BlobUnitKey] = []
  /// Blobs about which it queried this device, and when it did last.
  private(set) var queried = RecentBlobs(most: Limits.queriedBlobs)
  /// Blobs of which it sent data that did not verify.
  private var refused: Set<BlobID> = []
  /// Blobs that it reported as complete: it needs no notification of them.
  private(set) var complete = RecentBlobs(most: Limits.completeBlobs)
  private var pausedUntil: Instant?
  /// Requests in a row that brought no unit.
  private var failures = 0
  /// The numbers of open requests in the short form.
  private var numbers: [UInt16: BlobUnitKey] = [:]
  private var lastNumber: UInt16 = 0
  /// The numbers of its latest requests that were served.
  private var served: [UInt16] = []
  /// Whether it reads the short forms, as it stated.
  private(set) var readsShortForms = false
  private(set) var readsParts = false
  private(set) var readsLargeDatagrams = false

  static let mostRequests = 2
  /// The next unit is requested when no more leaves of the one before are missing.
  static let missingForNext = 8

  mutating func begin(_ key: BlobUnitKey) { requests.append(key) }
  mutating func finish(_ key: BlobUnitKey) {
    requests.removeAll { $0 == key }
    for (number, other) in numbers where other == key { numbers[number] = nil }
  }

  /// Returns a new number for an open request.
  mutating func number(_ key: BlobUnitKey) -> UInt16 {
    lastNumber &+= 1
    numbers[lastNumber] = key
    return lastNumber
  }

  /// Notes that a request of the peer is served. Returns false if it was before: a retransmitted
  /// request needs no second answer, since the first one is retransmitted too.
  mutating func serve(_ number: UInt16) -> Bool {
    guard !served.contains(number) else { return false }
    served.append(number)
    if served.count > Limits.unitWantsPerPeer { served.removeFirst() }
    return true
  }

  /// Notes that a session begins: the peer may be another program, which numbers from 1.
  mutating func beginSession() {
    (readsShortForms, readsParts, readsLargeDatagrams, served) = (false, false, false, [])
  }

  func unit(ofRequest number: UInt16) -> BlobUnitKey? { numbers[number] }

  mutating func note(form: BlobMessage) {
    switch form {
    case .readsShortForms: readsShortForms = true
    case .readsParts: readsParts = true
    case .readsLargeDatagrams: readsLargeDatagrams = true
    default: break
    }
  }

  mutating func note(query: BlobID, now: Instant) { queried.note(query, now: now) }

  mutating func note(_ blob: BlobID, isComplete: Bool, now: Instant) {
    guard isComplete else { return complete.remove(blob) }
    complete.note(blob, now: now)
    queried.remove(blob)
  }

  mutating func refuse(_ blob: BlobID) { refused.insert(blob) }
  func refuses(_ blob: BlobID) -> Bool { refused.contains(blob) }

  /// Notes that a request brought no unit: the next one waits, each time twice as long, so that a
  /// peer that delivers nothing takes a small part of the time.
  ///
  /// - Parameter patience: how long a request waits for something to arrive, in milliseconds.
  mutating func fail(patience: Int64, now: Instant) {
    failures += 1
    let pause = min(Self.pauseMilliseconds << min(failures - 1, 20), Self.mostPauses * patience)
    pausedUntil = now.advanced(byMilliseconds: pause)
  }

  private static let pauseMilliseconds: Int64 = 500
  private static let mostPauses: Int64 = 8

  /// Notes that a unit arrived and verified.
  mutating func deliver() {
    failures = 0
    pausedUntil = nil
  }

  /// Whether what it reports counts as held: a blob of which only others report something gives its
  /// place to the next one.
  var isReliable: Bool { failures < Self.mostFailures }
  private static let mostFailures = 3

  func isPaused(at now: Instant) -> Bool { pausedUntil.map { now < $0 } ?? false }
}

/// The blobs that something was noted of last.
struct RecentBlobs: Sendable {
  private var times: [BlobID: Instant] = [:]
  /// The latest last.
  private(set) var all: [BlobID] = []
  private let most: Int

  init(most: Int) { self.most = most }

  func contains(_ blob: BlobID) -> Bool { times[blob] != nil }
  /// When a blob was noted last; nil if it is not among the latest.
  subscript(_ blob: BlobID) -> Instant? { times[blob] }

  mutating func note(_ blob: BlobID, now: Instant) {
    if times.updateValue(now, forKey: blob) != nil, all.last != blob {
      all.removeAll { $0 == blob }
    } else if all.last == blob {
      return
    }
    all.append(blob)
    if all.count > most { times[all.removeFirst()] = nil }
  }

  mutating func remove(_ blob: BlobID) {
    if times.removeValue(forKey: blob) != nil { all.removeAll { $0 == blob } }
  }
}

/// The listed blobs, and which originals peers requested that this device does not fetch by itself.
struct BlobCatalog: Sendable {
  private var entries: [BlobID: BlobEntry] = [:]
  private struct Request {
    var at: Instant
    /// The peer that asked first.
    let device: DeviceID
    /// The goal without the request.
    var before: BlobGoal
  }

  /// The incomplete blobs that peers request.
  private var requested: [BlobID: Request] = [:]

  private static let requestMilliseconds: Int64 = 600_000

  var isEmpty: Bool { entries.isEmpty }
  var hasRequests: Bool { !requested.isEmpty }

  subscript(_ id: BlobID) -> BlobEntry? { entries[id] }

  /// The blobs that are fetched and incomplete, in the order of their classes.
  func wanted() -> [BlobEntry] {
    entries.values.filter(\.isWanted).sorted {
      ($0.goal, $0.number, $0.id) < ($1.goal, $1.number, $1.id)
    }
  }

  /// Adds or replaces an entry. Units that are stored already stay.
  mutating func set(_ entry: BlobEntry) -> BlobEntry {
    var entry = entry
    if let known = entries[entry.id] {
      for unit in 0..<known.units.units where known.units.contains(unit) {
        entry.insert(unit)
      }
    }
    if requested[entry.id] != nil {
      requested[entry.id]?.before = entry.goal
      // What is not to be fetched any more is not fetched for peers either.
      if entry.goal != .none { entry.change(to: min(entry.goal, .requested)) }
    }
    entries[entry.id] = entry
    return entry
  }

  mutating func remove(_ id: BlobID) -> BlobEntry? {
    requested[id] = nil
    return entries.removeValue(forKey: id)
  }

  /// Adds a unit. Returns nil if it is not listed any more.
  mutating func insert(_ unit: Int, of id: BlobID) -> BlobEntry? {
    entries[id]?.insert(unit)
    if entries[id]?.units.isComplete == true, let request = requested.removeValue(forKey: id) {
      entries[id]?.change(to: request.before)
    }
    return entries[id]
  }

  mutating func clear(_ unit: Int, of id: BlobID) -> BlobEntry? {
    entries[id]?.remove(unit)
    return entries[id]
  }

  /// Notes that a peer is missing an original. Returns its entry if it is to be fetched now.
  mutating func request(_ id: BlobID, by device: DeviceID, now: Instant) -> BlobEntry? {
    guard let entry = entries[id], entry.listing.kind == .original, !entry.units.isComplete,
      entry.goal != .none, entry.goal > .requested || requested[id] != nil
    else { return nil }
    if requested[id] == nil {
      guard requested.count < Limits.requestedBlobs,
        requested.count(where: { $0.value.device == device }) < Limits.queriedBlobs
      else { return nil }
      requested[id] = Request(at: now, device: device, before: entry.goal)
    }
    requested[id]?.at = now
    entries[id]?.change(to: .requested)
    return entries[id]
  }

  /// Ends the requests that no peer repeated. Returns the entries with their goals before.
  mutating func expireRequests(now: Instant) -> [BlobEntry] {
    let over = requested.filter {
      now.milliseconds(since: $0.value.at) >= Self.requestMilliseconds
    }
    return over.sorted { $0.key < $1.key }.compactMap { id, request in
      requested[id] = nil
      entries[id]?.change(to: request.before)
      return entries[id]
    }
  }
}
