/// All that one laptop shows at a moment, and what its own check says.
struct View: Sendable {
  let callsign: String
  let status: StatusAnswer
  let reports: [ReportAnswer]
  let users: [UserAnswer]
  let fences: [FenceAnswer]
  let events: [EventAnswer]
  let verification: VerifyAnswer

  /// Asks one thing after another: three laptops at a time keep a small machine busy enough.
  init(of laptop: Laptop) async throws {
    callsign = laptop.callsign
    status = try await laptop.ask(StatusAnswer.self, "status")
    reports = try await laptop.ask([ReportAnswer].self, "report", "list")
    users = try await laptop.ask([UserAnswer].self, "user", "list")
    fences = try await laptop.ask([FenceAnswer].self, "fence", "list")
    events = try await laptop.ask([EventAnswer].self, "event", "list")
    verification = try await laptop.ask(VerifyAnswer.self, "verify")
  }

  func report(_ id: String) -> ReportAnswer? { reports.first { $0.id == id } }

  func user(_ callsign: String) -> UserAnswer? { users.first { $0.callsign == callsign } }
}

/// How it went, for the promises to be held against and the table to show.
struct Outcome: Sendable {
  let reports: Reports
  let views: [View]
  let cutFor: Duration
  let heldBack: Int
  let backInStepAfter: Duration
}
