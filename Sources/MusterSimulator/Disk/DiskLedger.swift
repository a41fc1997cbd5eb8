internal import MusterModel
internal import MusterReplica
internal import MusterStore

/// What a device has acknowledged to its user or its peers, and its disk must therefore hold after
/// any fault.
struct DiskLedger {
  /// The newest frame of every log when a call returned.
  private var heads: [LogID: Head] = [:]
  /// The newest record of every topic that was on disk when a call returned, staged or not.
  private var records: [RecordTopic: RecordOrder] = [:]
  /// The last acknowledged title, and those of later failed commands.
  private var titles: [RowID: (acknowledged: String, attempted: [String])] = [:]
  private var comments: [RowID: Set<String>] = [:]
  private var fixes = 0
  private(set) var acknowledgedWrites = 0

  mutating func noteContents(of store: Store) throws {
    for summary in try store.logs() { heads[summary.head.log] = summary.head }
    for record in try store.records() { records[record.topic] = record.order }
  }

  mutating func noteTitle(_ title: String, of report: RowID) {
    titles[report] = (title, [])
    acknowledgedWrites += 1
  }

  /// A failed command may have been committed if the power went before the acknowledgement.
  mutating func noteAttempt(_ title: String, on report: RowID) {
    titles[report]?.attempted.append(title)
  }

  mutating func noteComment(_ text: String, on report: RowID) {
    comments[report, default: []].insert(text)
    acknowledgedWrites += 1
  }

  mutating func noteFix() {
    fixes += 1
    acknowledgedWrites += 1
  }

  mutating func noteOther() { acknowledgedWrites += 1 }

  /// Returns which records are missing, or older than before: one line each.
  func recordLosses(in store: Store) throws -> [String] {
    let held = Dictionary(
      try store.records().map { ($0.topic, $0.order) }, uniquingKeysWith: { $1 })
    return records.sorted { $0.key < $1.key }.compactMap { topic, order in
      guard let kept = held[topic] else { return "the record of \(topic.short) is gone" }
      return kept < order ? "the record of \(topic.short) is older than before" : nil
    }
  }

  /// Returns what a repaired disk is missing: one line each.
  func losses(in store: Store, of replica: Replica) throws -> [String] {
    var losses: [String] = []
    for (log, head) in heads.sorted(by: { $0.key < $1.key }) {
      let held = try store.log(log)?.head.sequence
      guard let held, held >= head.sequence else {
        let newest = held.map(String.init) ?? "nothing"
        losses.append("log \(log.short) ends at \(newest), not \(head.sequence)")
        continue
      }
      let frame = try store.frame(FramePosition(log: log, sequence: head.sequence))
      if frame?.hash != head.hash { losses.append("log \(log.short) has another frame") }
    }
    let shown = try replica.queries.reports()
    for (id, title) in titles.sorted(by: { $0.key < $1.key }) {
      let report = shown.first { $0.id == id }
      guard let report else {
        losses.append("report \(id.short) is gone")
        continue
      }
      if report.title != title.acknowledged && !title.attempted.contains(report.title) {
        losses.append("report \(id.short) is called \(report.title)")
      }
      let missing = comments[id, default: []].subtracting(report.comments.map(\.text))
      if !missing.isEmpty { losses.append("\(missing.count) comments on \(id.short) are gone") }
    }
    let all = Timestamp(milliseconds: 0)...Timestamp(milliseconds: .max / 2)
    let track = try store.track(all).count
    if track < fixes { losses.append("\(track) fixes of \(fixes) are there") }
    return losses
  }
}
