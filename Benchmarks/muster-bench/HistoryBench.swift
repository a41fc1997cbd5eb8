import ArgumentParser
import MusterModel
import MusterReplica

/// What a replay of the past costs: everybody at any instant of a day, and a page of the timeline
/// of that day.
struct HistoryBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Milliseconds of a processor to show 1,000 people at any instant of 24 hours.")

  @Option(help: "People in the operation.")
  var people = 1000

  @Option(help: "Hours of history, with a fix of everybody each 30 s.")
  var hours = 24

  @Option(help: "Instants to show.")
  var instants = 200

  @Option(help: "Entries and exits of zones in the day, in the timeline.")
  var crossings = 100_000

  func validate() throws {
    guard people > 0, hours > 0, instants > 1, crossings >= 0 else {
      throw ValidationError(
        "--people and --hours are at least 1, --instants at least 2, --crossings at least 0")
    }
  }

  func run() throws {
    progress("history: \(people) people, \(hours) h")
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 58, founderAt: "\(folder)/muster.db")
      try mesh.at(0) { _ = try $0.startHistory(now: $1) }
      let start = mesh.clock.wall
      let (recorded, _) = try timed { try record(in: &mesh) }
      let span = mesh.clock.wall.milliseconds(since: start)
      var costs: [HistoryView: [Double]] = [:]
      for number in 0..<Int64(instants) {
        // Spread over the day, in no order.
        let at = Timestamp(
          milliseconds: start.milliseconds + 60_000 + number * 7_919_003 % (span - 60_000))
        let view: HistoryView = number % 2 == 0 ? .event : .known
        let (shown, elapsed) = try timed {
          try mesh.at(0) { try $0.history(at: at, view: view, now: $1).people.count }
        }
        precondition(shown >= people, "\(shown) people at \(at)")
        costs[view, default: []].append(elapsed.processorSeconds * 1e3)
      }
      try report(
        event: costs[.event] ?? [], known: costs[.known] ?? [], fixes: recorded.fixes,
        bytes: recorded.bytes)
      try timeline(from: start, in: &mesh)
    }
  }

  // MARK: The timeline

  /// Shows pages that begin at instants of the whole day, in no order.
  private func timeline(from start: Timestamp, in mesh: inout Mesh) throws {
    progress("history: \(crossings) crossings")
    let end = mesh.clock.wall
    let span = end.milliseconds(since: start)
    try cross(from: start, to: end, in: &mesh)
    var costs: [Double] = []
    for number in 0..<Int64(instants) {
      let place = Timestamp(milliseconds: start.milliseconds + number * 7_919_003 % span)
      let (_, elapsed) = try timed {
        try mesh.at(0) {
          try $0.historyEvents(
            in: start...end, after: HistoryCursor(.checkIn, "", at: place), limit: Self.page,
            now: $1)
        }
      }
      costs.append(elapsed.processorSeconds * 1e3)
    }
    try Measurement(
      bench: "history-events", value: costs.max() ?? 0, unit: "ms", limit: 100,
      note: "the slowest of \(instants) pages of \(Self.page) events; median "
        + "\(Int(costs.median)) ms; \(people) people, \(hours) h, \(crossings) crossings"
    ).print()
  }

  /// Of a page that a dashboard shows.
  private static let page = 100

  /// Walks into a zone and out of it again, in even steps of the day.
  private func cross(from start: Timestamp, to end: Timestamp, in mesh: inout Mesh) throws {
    guard let centre = Coordinate(latitudeE7: 470_000_000, longitudeE7: 110_000_000),
      let outside = Coordinate(latitudeE7: 470_010_000, longitudeE7: 110_000_000)
    else { preconditionFailure("a place off the map") }
    _ = try mesh.at(0) {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Gate", kind: .info, geometry: .circle(center: centre, radiusCentimetres: 5000),
            mode: .strictAWS)), now: $1)
    }
    let step = end.milliseconds(since: start) / Int64(max(1, crossings))
    for number in 0..<Int64(crossings) {
      _ = try mesh.at(0) {
        try $0.ingest(
          Fix(
            position: number % 2 == 0 ? centre : outside, accuracyDecimetres: 30,
            sampleTime: Timestamp(milliseconds: start.milliseconds + number * step)), now: $1)
      }
      if number % 20_000 == 19_999 { progress("history: \(number + 1) crossings") }
    }
  }

  // MARK: The past

  private func report(event: [Double], known: [Double], fixes: Int, bytes: Int) throws {
    let happened = Int(event.median)
    let knew = Int(known.median)
    let note =
      "the slowest of \(instants) instants; median \(happened) ms for what happened, \(knew) ms "
      + "for what was known; \(people) people, \(hours) h, \(fixes) fixes, \(bytes >> 20) MiB"
    try Measurement(
      bench: "history", value: (event + known).max() ?? 0, unit: "ms", limit: 100, note: note
    ).print()
  }

  /// Records a fix of everybody each 30 s, every hundredth late, and a change of status an hour.
  private func record(in mesh: inout Mesh) throws -> (fixes: Int, bytes: Int) {
    var fixes = 0
    let before = try mesh.at(0) { replica, _ in try replica.historyBytes() }
    for round in 0..<Int64(hours) * 120 {
      try mesh.pass(milliseconds: 30_000)
      try mesh.at(0) { replica, now in
        for number in 0..<Int64(people) {
          let isLate = (number + round) % 100 == 0
          let user = UserID(raw: Bytes16(high: 58, low: UInt64(number)))
          let fix = Fix(
            position: try Self.place(number, round), accuracyDecimetres: 50,
            sampleTime: Timestamp(
              milliseconds: now.wall.milliseconds - (isLate ? 1_800_000 : 900)))
          let status: PersonStatus = (number + round) % 240 < 120 ? .ok : .noContact
          replica.recordForMeasurement(fix, status, of: user, now: now)
          fixes += 1
        }
        _ = try replica.keepHistory(now: now)
      }
      if round % 240 == 0 { progress("history: \(round / 120) h") }
    }
    return (fixes, try mesh.at(0) { replica, _ in try replica.historyBytes() } - before)
  }

  private static func place(_ number: Int64, _ round: Int64) throws -> Coordinate {
    guard
      let place = Coordinate(
        latitudeE7: 480_000_000 + number * 9000 + round * 700 % 90_000,
        longitudeE7: 110_000_000 + number * 1300 + round * 1100 % 130_000)
    else { preconditionFailure("a place off the map") }
    return place
  }
}
