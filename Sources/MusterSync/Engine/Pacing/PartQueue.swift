internal import MusterModel

/// The queued parts of one peer, and the sent parts that are not acknowledged yet.
///
/// Parts are sent by priority, but each waiting priority gets one twentieth of the bandwidth, so
/// that none starves. Urgent and control parts alternate, one datagram each, urgent first: no
/// distress call and no revocation waits behind a backlog of the other. Within a priority, authors
/// are served by deficit round robin, and lost parts are retransmitted first.
struct PartQueue: Sendable {
  struct Part: Sendable {
    let importance: Outbox.Importance
    let author: CertificateHash?
    let key: PartKey?
    /// The leaf of a part that is a record.
    var record: LeafHint?
    let bytes: [UInt8]
    /// Retransmitted until acknowledged; other parts are sent once.
    let isRepeated: Bool
    var isQueued = true
  }

  private var parts: [UInt64: Part] = [:]
  private var numbers: [PartKey: UInt64] = [:]
  /// The queued runs of each log: frame counts by first sequence.
  private var runs: [LogID: [UInt64: Int]] = [:]
  private var lines = [AuthorLines](
    repeating: AuthorLines(), count: Outbox.Importance.allCases.count)
  /// The deficit of each priority, in twentieths of a byte.
  private var owed = [Int](repeating: 0, count: Outbox.Importance.allCases.count)
  private var queued = [Int](repeating: 0, count: Outbox.Importance.allCases.count)
  private var nextNumber: UInt64 = 0
  /// The number of no part.
  static let noPart: UInt64 = 0
  private static let share = 20
  /// Whether some parts need large datagrams.
  private var hasLarge = false
  /// Bytes of urgent parts sent ahead of waiting control parts.
  private var urgentLead = 0

  /// Queued parts of all priorities.
  private(set) var waiting = 0
  private(set) var waitingBytes = 0
  /// Bytes of queued messages about blobs, which are part of `waitingBytes`.
  private(set) var blobBytes = 0
  /// Queued messages about blobs, which are part of `waiting`.
  var blobParts: Int {
    queued[Int(Outbox.Importance.thumbnails.rawValue)]
      + queued[Int(Outbox.Importance.photos.rawValue)]
  }
  /// Parts that are queued or in flight.
  var count: Int { parts.count }

  /// The priority that is sent next, apart from priorities with a deficit.
  var first: Outbox.Importance? {
    if isControlsTurn { return .control }
    return queued.firstIndex { $0 > 0 }.flatMap { Outbox.Importance(rawValue: UInt8($0)) }
  }

  private var isControlsTurn: Bool {
    urgentLead >= packetBytes / 2 && queued[Int(Outbox.Importance.control.rawValue)] > 0
  }

  /// Adds a part. Returns false if it was dropped, for lack of room or as a duplicate.
  mutating func add(_ part: Part) -> Bool {
    if let key = part.key, let number = numbers[key] {
      // A part in flight need not be queued again: frames are immutable, and a record changes only
      // with a newer one.
      switch key {
      case .run, .blobPart, .blobAnswer: return true
      default: break
      }
      if let record = part.record, parts[number]?.record == record { return true }
      remove(number)
    }
    if parts.count >= Limits.queuedParts, !makeRoom(for: part.importance) { return false }
    insert(part)
    join(nextNumber)
    return true
  }

  private mutating func insert(_ part: Part) {
    nextNumber += 1
    parts[nextNumber] = part
    if part.bytes.count > packetBytes { hasLarge = true }
    if let key = part.key { numbers[key] = nextNumber }
    if case .run(let log, let first, let frames) = part.key {
      runs[log, default: [:]][first] = max(frames, runs[log]?[first] ?? 0)
    }
    lines[Int(part.importance.rawValue)].append(nextNumber, of: part.author)
    count(part, by: 1)
  }

  /// Returns the first frame of a log, from `sequence` on, that is not in a run here.
  func next(of log: LogID, after sequence: UInt64) -> UInt64 {
    var next = sequence
    for (first, count) in runs[log]?.sorted(by: { $0.key < $1.key }) ?? [] where first <= next {
      next = max(next, first + UInt64(count))
    }
    return next
  }

  /// Joins a queued run with the queued run before it in its log if both fit one datagram: they
  /// need one signature, and name their log once.
  private mutating func join(_ number: UInt64) {
    guard let part = parts[number], part.isQueued,
      case .run(let log, let first, let count) = part.key,
      let before = runs[log]?.filter({ $0.key + UInt64($0.value) == first })
        .min(by: { $0.key < $1.key }),
      let other = numbers[.run(log, first: before.key, count: before.value)],
      let earlier = parts[other], earlier.isQueued, earlier.importance == part.importance,
      let bytes = Run.joined(earlier.bytes, part.bytes), bytes.count <= packetBytes
    else { return }
    let author = earlier.author ?? part.author
    remove(other)
    remove(number)
    insert(
      Part(
        importance: part.importance, author: author,
        key: .run(log, first: before.key, count: before.value + count), bytes: bytes,
        isRepeated: true))
  }

  /// Drops one of the lowest-priority queued parts if its priority is below `importance`.
  private mutating func makeRoom(for importance: Outbox.Importance) -> Bool {
    guard let least = queued.lastIndex(where: { $0 > 0 }), least > importance.rawValue,
      let number = lines[least].head(size: size(of:))
    else { return false }
    remove(number)
    return true
  }

  private mutating func count(_ part: Part, by difference: Int) {
    queued[Int(part.importance.rawValue)] += difference
    waiting += difference
    waitingBytes += difference * part.bytes.count
    if part.importance >= .thumbnails { blobBytes += difference * part.bytes.count }
  }

  /// Whether a part is queued or in flight.
  func holds(_ key: PartKey) -> Bool { numbers[key] != nil }

  private func size(of number: UInt64) -> Int? {
    parts[number].flatMap { $0.isQueued ? $0.bytes.count : nil }
  }

  /// Returns the log of a part that is a run, and its last sequence; nil for any other part.
  func run(_ number: UInt64) -> (log: LogID, last: UInt64)? {
    guard case .run(let log, let first, let count)? = parts[number]?.key else { return nil }
    return (log, first + UInt64(count) - 1)
  }

  /// Whether a part has bytes of a photo.
  func isOfPhoto(_ number: UInt64) -> Bool {
    switch parts[number]?.key {
    case .blobAnswer: true
    case .blobPart(_, let kind, _): kind != 1
    default: false
    }
  }

  /// Where a part is.
  enum Place { case queued, inFlight, acknowledged }

  func place(of number: UInt64) -> Place {
    parts[number].map { $0.isQueued ? .queued : .inFlight } ?? .acknowledged
  }

  /// Removes a part that was acknowledged or superseded.
  mutating func remove(_ number: UInt64) {
    guard let part = parts.removeValue(forKey: number) else { return }
    if part.isQueued { count(part, by: -1) }
    guard let key = part.key, numbers[key] == number else { return }
    numbers[key] = nil
    if case .run(let log, let first, let frames) = key, runs[log]?[first] == frames {
      runs[log]?[first] = nil
      if runs[log]?.isEmpty == true { runs[log] = nil }
    }
  }

  /// Drops the parts that need large datagrams, which the path does not carry any more. They are
  /// parts of photos, and are requested again.
  mutating func dropLarge() {
    guard hasLarge else { return }
    hasLarge = false
    for number in parts.keys.sorted() where parts[number]?.bytes.count ?? 0 > packetBytes {
      remove(number)
    }
  }

  /// Requeues lost parts: at the front, or at the back if the path seems to be down, since they may
  /// be acknowledged by then.
  mutating func repeatParts(_ numbers: [UInt64], first: Bool) {
    for number in first ? numbers.reversed() : numbers {
      guard let part = parts[number], !part.isQueued else { continue }
      parts[number]?.isQueued = true
      count(part, by: 1)
      let line = Int(part.importance.rawValue)
      if first {
        lines[line].prepend(number)
      } else {
        lines[line].append(number, of: part.author)
      }
    }
    for number in numbers.sorted() { join(number) }
  }

  /// Packs as many parts as fit one packet. Returns the numbers of the parts that are retransmitted
  /// until acknowledged.
  ///
  /// - Parameters:
  ///   - photoRoom: the room if the packet has nothing but messages about blobs.
  ///   - only: the one priority that is packed; nil for all.
  mutating func pack(
    room: Int, photoRoom: Int? = nil, only: Outbox.Importance? = nil
  ) -> (bytes: [UInt8], numbers: [UInt64]) {
    var (bytes, numbers): ([UInt8], [UInt64]) = ([], [])
    bytes.reserveCapacity(photoRoom ?? room)
    var isOfPhotos = true
    var order = Array(queued.indices)
    if isControlsTurn { order.swapAt(0, 1) }
    // Blobs get no share while a distress call waits.
    let last = queued[0] > 0 ? Int(Outbox.Importance.quarantine.rawValue) : queued.count - 1
    if let starving = order.first(where: {
      $0 <= last && queued[$0] > 0 && owed[$0] >= Self.share * packetBytes
    }) {
      order.remove(at: starving)
      order.insert(starving, at: 0)
    }
    for line in order where only == nil || only?.rawValue == UInt8(line) {
      let mayBeLarge = isOfPhotos && line >= Outbox.Importance.thumbnails.rawValue
      let room = mayBeLarge ? photoRoom ?? room : room
      while queued[line] > 0, let number = lines[line].head(size: size(of:)),
        let part = parts[number], bytes.count + part.bytes.count <= room
      {
        if line < Outbox.Importance.thumbnails.rawValue { isOfPhotos = false }
        lines[line].removeHead(size: part.bytes.count)
        bytes += part.bytes
        count(part, by: -1)
        settleShares(line, part.bytes.count)
        settleTurns(line, part.bytes.count)
        if part.isRepeated {
          parts[number]?.isQueued = false
          numbers.append(number)
        } else {
          parts[number]?.isQueued = false
          remove(number)
        }
      }
    }
    return (bytes, numbers)
  }

  private mutating func settleTurns(_ line: Int, _ size: Int) {
    guard queued[0] > 0, queued[1] > 0 else {
      urgentLead = 0
      return
    }
    if line == 0 { urgentLead += size }
    if line == 1 { urgentLead = max(0, urgentLead - size) }
  }

  private mutating func settleShares(_ line: Int, _ size: Int) {
    owed[line] = max(0, owed[line] - Self.share * size)
    for other in owed.indices where other != line {
      owed[other] = queued[other] == 0 ? 0 : min(owed[other] + size, 2 * Self.share * packetBytes)
    }
  }
}

extension PartQueue.Part {
  /// Creates a part from a packet.
  ///
  /// - Parameter author: the author of the packet's frames, if any.
  init(_ packet: Packet, importance: Outbox.Importance, author: CertificateHash?) {
    let bytes = packet.encoded()
    precondition(bytes.count <= largestPacketBytes, "part of \(bytes.count) bytes")
    let record = packet.records.first ?? packet.pushed.first?.records.first
    self.init(
      importance: importance, author: author, key: PartKey(packet),
      record: record.map { LeafHint($0) }, bytes: bytes, isRepeated: packet.isToBeAcknowledged)
  }
}

/// The identity of a part: a newer part supersedes an older one with the same key.
enum PartKey: Hashable, Sendable {
  case roots
  case head(LogID)
  case record(RecordTopic)
  case digest(SetID, NibblePrefix, answers: Bool)
  case want(LogID, from: UInt64)
  case keyRequests
  case run(LogID, first: UInt64, count: Int)
  /// A query, proof or leaf of a blob, which never changes.
  case blobPart(BlobID, kind: UInt8, number: Int)
  /// A holding or want of a blob, which a newer one replaces.
  case blobState(BlobID, kind: UInt8, number: Int)
  /// An answer to a request for a unit.
  case blobAnswer(request: UInt16, kind: UInt8, index: Int)

  static func proof(of blob: BlobID, unit: Int) -> PartKey {
    .blobPart(blob, kind: 4, number: unit)
  }

  static func leaf(_ number: Int, of blob: BlobID) -> PartKey {
    .blobPart(blob, kind: 5, number: number)
  }

  /// Returns nil for a part with several items, or one that is never superseded.
  init?(_ packet: Packet) {
    if let run = packet.runs.first, packet.runs.count == 1 {
      self = .run(run.log, first: run.first, count: run.frames.count)
    } else if let want = packet.wants.first, packet.wants.count == 1 {
      self = .want(want.log, from: want.from)
    } else if let record = packet.records.first, packet.records.count == 1 {
      self = .record(record.topic)
    } else if let record = packet.pushed.first?.records.first, packet.pushed.count == 1,
      packet.pushed[0].records.count == 1
    {
      self = .record(record.topic)
    } else if let node = packet.digest.first, packet.digest.count == 1 {
      self = .digest(node.set, node.prefix, answers: node.answers)
    } else if let head = packet.heads.first, packet.heads.count == 1 {
      self = .head(LogID(raw: head.key))
    } else if !packet.keyRequests.isEmpty {
      self = .keyRequests
    } else if packet.roots != nil {
      self = .roots
    } else if let message = packet.blobs.last,
      packet.blobs.dropLast().allSatisfy(\.isForm)
    {
      guard let key = PartKey(message) else { return nil }
      self = key
    } else {
      return nil
    }
  }
}

extension PartKey {
  private init?(_ message: BlobMessage) {
    switch message {
    case .query(let blob): self = .blobPart(blob, kind: 1, number: 0)
    case .holding(let blob, _): self = .blobState(blob, kind: 2, number: 0)
    case .want(let want): self = .blobState(want.blob, kind: 3, number: want.unit)
    case .proof(let blob, let unit, _): self = .proof(of: blob, unit: unit)
    case .leaf(let blob, let number, _): self = .leaf(number, of: blob)
    case .readsShortForms, .readsParts, .readsLargeDatagrams, .padding: return nil
    case .request(let request):
      self = .blobState(request.blob, kind: 3, number: request.unit)
    case .path(let request, _): self = .blobAnswer(request: request, kind: 8, index: 0)
    case .piece(let request, let index, _):
      self = .blobAnswer(request: request, kind: 9, index: index)
    case .part(let request, let place, _):
      self = .blobAnswer(request: request, kind: 11, index: place)
    }
  }
}
