/// Everything that one laptop shows at a moment, and the result of its own check.
struct View: Sendable {
  let callsign: String
  let status: StatusAnswer
  let reports: [ReportAnswer]
  let users: [UserAnswer]
  let fences: [FenceAnswer]
  let events: [EventAnswer]
  let verification: VerifyAnswer

  /// Runs one command after another: three laptops at a time load a small machine enough.
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

/// The results, for the checks and the table.
struct Outcome: Sendable {
  let reports: Reports
  let views: [View]
  let cutFor: Duration
  let heldBack: Int
  let backInStepAfter: Duration
}
