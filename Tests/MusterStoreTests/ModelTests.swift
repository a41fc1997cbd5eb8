import MusterCRDT
import MusterModel
import MusterStore
import MusterTestKit
import Testing

/// The same random commands given to a store and to plain dictionaries.
@Suite("The store and a model of dictionaries agree")
struct ModelTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `after any commands`(seed: UInt64) throws {
    var run = try ModelRun(seed: seed)
    for _ in 0..<60 {
      try run.step()
      if run.random.chance(oneIn: 12) { try run.compare() }
    }
    try run.compare()
    try run.compareRebuilt()
    #expect(run.model.frames.count > 50, "seed \(seed)")
  }

  @Test(arguments: 100...102 as ClosedRange<UInt64>)
  func `across restarts too`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var run = try ModelRun(seed: seed, path: folder.database())
    for _ in 0..<4 {
      for _ in 0..<12 { try run.step() }
      try run.restart(folder.database())
      try run.compare()
    }
    #expect(run.model.frames.count > 50, "seed \(seed)")
  }
}

/// What the store should hold, in the plainest form.
struct Model {
  var openings: [LogID: Opening] = [:]
  /// As the store numbers them: in the order in which they came.
  var numbers: [LogID: UInt32] = [:]
  /// In the order in which they were held.
  var frames: [Frame] = []
  var places: Set<FramePosition> = []
  var applications: [FramePosition: Application] = [:]
  var pending = PendingInMemory(applied: [])
  var rows: [RowKey: RowState] = [:]
  var waiting: [FramePosition: WaitReason] = [:]
  var crossings: [RecordedCrossing] = []
  var records: [RecordTopic: LatestRecord] = [:]
  var local: [String: [UInt8]] = [:]

  mutating func take(_ batch: Batch) {
    for held in batch.frames where places.insert(place(held.frame)).inserted {
      if let opening = held.opening {
        openings[held.frame.log] = opening
        numbers[held.frame.log] = UInt32(numbers.count) + 1
      }
      frames.append(held.frame)
      apply(held.application, of: held.frame)
    }
    for released in batch.released {
      guard waiting.removeValue(forKey: released.place) != nil,
        let frame = frames.first(where: { place($0) == released.place })
      else { continue }
      apply(released.application, of: frame)
    }
    for record in batch.records where (records[record.topic]?.order ?? order(0, 0)) < record.order {
      records[record.topic] = record
    }
    local.merge(batch.local) { $1 }
    for name in batch.forgotten { local[name] = nil }
  }

  private mutating func apply(_ application: Application, of frame: Frame) {
    applications[place(frame)] = application
    if case .waiting(let reason) = application {
      waiting[place(frame)] = reason
      return
    }
    pending.noteApplied(frame.hash.raw.prefix)
    guard case .applied(let writes, let events) = application else { return }
    for write in writes {
      let key = write.write.key
      rows[key, default: RowState(key: key)].apply(
        write, at: logPosition(frame), beside: &pending)
    }
    for event in events where !crossings.contains(where: { $0.id == event.id }) {
      crossings.append(event)
    }
  }

  func place(_ frame: Frame) -> FramePosition {
    FramePosition(log: frame.log, sequence: frame.sequence)
  }

  private func logPosition(_ frame: Frame) -> LogPosition {
    LogPosition(log: numbers[frame.log] ?? 0, sequence: UInt32(frame.sequence))
  }
}

private struct ModelRun {
  let seed: UInt64
  var random: SplitMix64
  var store: Store
  var model = Model()
  private var scribes: [Scribe]
  private var dots: [RowKey: [Dot]] = [:]
  private var sent: [HeldFrame] = []
  private var crossingCount: UInt64 = 0

  init(seed: UInt64, path: String? = nil) throws {
    self.seed = seed
    random = SplitMix64(seed: seed)
    store = try path.map { path in try Store.open(path: path, seal: seal) } ?? Store.inMemory()
    scribes = (1...4).map { Scribe($0, role: $0 == 4 ? .observer : .command) }
  }

  mutating func step() throws {
    var batch = Batch()
    var drafts = scribes
    let known = dots
    for _ in 0...random.number(below: 5) { batch.frames.append(nextFrame(&drafts)) }
    if random.chance(oneIn: 3) { batch.released = releases() }
    if random.chance(oneIn: 3) {
      batch.records = [
        record(
          UInt64(random.number(below: 4)), UInt32(1 + random.number(below: 3)), random.next() >> 60)
      ]
    }
    if random.chance(oneIn: 4) {
      batch.local["fact \(random.number(below: 3))"] = random.bytes(random.number(below: 4))
    }
    if random.chance(oneIn: 6) { batch.forgotten = ["fact \(random.number(below: 3))"] }
    if let old = sent.randomElement(with: &random), random.chance(oneIn: 3) {
      batch.frames.append(old)
    }
    if random.chance(oneIn: 6) {
      // A frame cannot contain its own name, as these could: its next author writes it at its
      // position, and under its name.
      dots = known
      return try refuse(batch, drafts)
    }
    scribes = drafts
    sent += batch.frames
    let before = model.frames.count
    let outcome = try store.commit(batch)
    model.take(batch)
    #expect(outcome.framesHeld == model.frames.count - before, "seed \(seed)")
  }

  /// A gap at the end: nothing of the batch may stay, so the authors go on from where they were.
  private mutating func refuse(_ batch: Batch, _ drafts: [Scribe]) throws {
    var broken = batch
    var ahead = drafts[0]
    if ahead.head == nil { _ = ahead.silent() }
    _ = ahead.silent()
    broken.frames.append(ahead.silent())
    #expect(throws: StoreError.self, "seed \(seed)") { try store.commit(broken) }
  }

  private mutating func nextFrame(_ drafts: inout [Scribe]) -> HeldFrame {
    let author = random.number(below: drafts.count)
    guard drafts[author].head != nil else { return drafts[author].opened() }
    switch random.number(below: 8) {
    case 0: return drafts[author].silent()
    case 1: return drafts[author].waiting(for: .key(EpochID(raw: name(random.next() % 2))))
    case 2: return drafts[author].waiting(for: .part)
    default:
      let writes = (0...random.number(below: 3)).flatMap { _ in write(by: drafts[author].author) }
      var events: [RecordedCrossing] = []
      if random.chance(oneIn: 4) {
        crossingCount += UInt64(random.number(below: 2))
        events = [crossing(crossingCount)]
      }
      let held = drafts[author].writing(writes, crossings: events)
      for (index, write) in writes.enumerated() {
        dots[write.key, default: []].append(
          Dot(frame: held.frame.hash.raw.prefix, index: UInt16(index)))
      }
      return held
    }
  }

  /// Of few rows, so that writes meet; superseding what may have come, or never was.
  private mutating func write(by author: Author, in frame: Frame? = nil) -> [Write] {
    let number = UInt64(random.number(below: 5)) * 2
    let seen = (0..<random.number(below: 3)).compactMap { _ in
      random.chance(oneIn: 9)
        ? Dot(frame: name(random.next()), index: 0)
        : dots[reportKey(number)]?.randomElement(with: &random)
    }.filter { $0.frame != frame?.hash.raw.prefix }
    if random.chance(oneIn: 4) {
      return report(number, by: Scribe(1).author, title: "Report \(number)")
    }
    let edit = title(number, "Title \(random.number(below: 9))", superseding: seen)
    return [random.chance(oneIn: 3) ? overwriting(edit) : edit]
  }

  private mutating func releases() -> [ReleasedFrame] {
    let waiting = model.waiting.keys.sorted { ($0.log, $0.sequence) < ($1.log, $1.sequence) }
    var released: [ReleasedFrame] = []
    for place in waiting.prefix(1 + random.number(below: 3)) {
      guard let frame = model.frames.first(where: { model.place($0) == place }),
        let scribe = scribes.first(where: { $0.log == place.log })
      else { continue }
      let writes = scribe.authored(write(by: scribe.author, in: frame), in: frame)
      let choices: [Application] = [
        .applied(writes: writes, crossings: []), .nothing, .waiting(.certificate),
      ]
      released.append(
        ReleasedFrame(place: place, application: choices[random.number(below: choices.count)]))
    }
    return released
  }

  mutating func restart(_ path: String) throws {
    try store.close()
    store = try Store.open(path: path, seal: seal)
  }

  func compare() throws {
    let note: Comment = "seed \(seed)"
    var logs: [LogID: [Frame]] = [:]
    for frame in model.frames { logs[frame.log, default: []].append(frame) }
    for (log, frames) in logs {
      #expect(
        try store.frames(log: log, from: 0, maxBytes: .max, maxFrames: .max) == frames, note)
    }
    let summaries = try store.logs()
    #expect(summaries.map(\.head.log) == logs.keys.sorted(), note)
    for summary in summaries {
      #expect(summary.opening == model.openings[summary.head.log], note)
      #expect(summary.head.hash == logs[summary.head.log]?.last?.hash, note)
    }
    #expect(try store.counts().frames == model.frames.count, note)
    var waiting: [FramePosition: WaitReason] = [:]
    for held in try store.waiting(limit: 10_000) { waiting[model.place(held.frame)] = held.reason }
    #expect(waiting == model.waiting, note)
    try compareRows()
    #expect(
      try store.crossings(limit: 10_000).map(\.recorded) == model.crossings, note)
    #expect(
      try store.records()
        == model.records.values.sorted { $0.topic < $1.topic }, note)
    for fact in 0..<3 {
      #expect(try store.local("fact \(fact)") == model.local["fact \(fact)"], note)
    }
    #expect(try store.integrityProblems().isEmpty, note)
  }

  private func compareRows() throws {
    var rows: [RowKey: RowState] = [:]
    try store.forEachRow { rows[$0.key] = $0 }
    #expect(rows.keys.sorted() == model.rows.keys.sorted(), "seed \(seed)")
    for (key, row) in rows {
      row.checkInvariants()
      // Not one `#expect` of the rows, which would print them whole.
      if row != model.rows[key] { Issue.record("seed \(seed): \(key.id.short) differs") }
    }
  }

  /// Rebuilding the view from the log, whose frames are in another order than they arrived, gives
  /// the same result. (Waiting frames may differ: a dot can name a write that its frame does not
  /// contain.)
  func compareRebuilt() throws {
    let arrivals = try store.crossings(limit: 10_000)
    let outcome = try store.rebuildView { opening, frame, _ in
      #expect(opening == model.openings[frame.log])
      return Reapplication(model.applications[model.place(frame)] ?? .nothing)
    }
    #expect(outcome.newCrossings.isEmpty)
    #expect(try store.crossings(limit: 10_000) == arrivals)
    #expect(try store.counts().waiting == model.waiting.count)
    try store.forEachRow { row in
      if row.canonical != model.rows[row.key]?.canonical {
        Issue.record("seed \(seed): \(row.key.id.short) differs when rebuilt")
      }
    }
  }
}

extension Array {
  fileprivate func randomElement(with random: inout SplitMix64) -> Element? {
    isEmpty ? nil : self[random.number(below: count)]
  }
}
