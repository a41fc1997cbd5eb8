internal import Foundation

/// Three laptops in a valley: a command post and two in the field, one of which loses its link.
///
/// Each act waits for a condition on the laptops themselves, never for time to pass.
struct Story: Sendable {
  let anna: Laptop
  let ben: Laptop
  let cleo: Laptop
  let links: Links
  /// Ben's track, a GPX file.
  let track: URL
  /// The port of Anna's dashboard; nil for none.
  let dashboard: Int?
  let progress: Progress

  /// The links between the laptops. Each laptop knows only its own ends.
  struct Links: Sendable {
    let annaBen: Link
    let annaCleo: Link
    let benCleo: Link

    /// The links that are cut.
    var ofCleo: [Link] { [annaCleo, benCleo] }
  }

  func play() async throws -> Outcome {
    try await progress.introduce(
      """
      Three laptops in a valley without internet: a command post and two in the field. Each holds
      all data of the operation and synchronizes with the others over UDP. Then one of them is
      disconnected.

      """)
    try await found()
    try await enrolCleo()
    let known = try await reportTogether()
    try await sendBenOut()
    let cutAt = try await cut()
    let reports = try await workApart(known)
    try await proveApart(reports)
    let (repairedAt, backInStepAfter) = try await repair()
    let views = try await look()
    return Outcome(
      reports: reports, views: views, cutFor: cutAt.duration(to: repairedAt),
      heldBack: links.ofCleo.map(\.heldBack).reduce(0, +), backInStepAfter: backInStepAfter)
  }

  // MARK: Together

  private func found() async throws {
    try await progress.step("Anna starts the operation \"\(Script.operation)\"") {
      try await anna.send("init", Script.operation, "--callsign", anna.callsign)
    }
    try await progress.step("Anna's laptop runs as the command post") {
      let ends = [links.annaBen, links.annaCleo]
      let page = dashboard.map { ["--http", "127.0.0.1:\($0)"] } ?? []
      try await anna.start(try ends.flatMap { ["--peer", try $0.address(at: .first)] } + page)
    }
    try await progress.step("Anna draws the assembly zone \(Script.camp), 200 m around a school") {
      try await anna.send(
        "fence", "add", "--name", Script.camp, "--kind", "muster", "--circle", Script.campCircle)
    }
  }

  private func join(_ laptop: Laptop) async throws {
    try await progress.step("\(laptop.callsign) joins with Anna's invite") {
      let invite = try await anna.send(InviteAnswer.self, "invite", "--expires", "15m")
      try await laptop.send(
        "join", invite.url, "--callsign", laptop.callsign, "--timeout", "15s")
    }
  }

  private func enrolCleo() async throws {
    try await join(cleo)
    try await progress.step("Cleo's laptop runs and has converged with Anna's") {
      let ends = [links.annaCleo, links.benCleo]
      try await cleo.start(try ends.flatMap { ["--peer", try $0.address(at: .second)] })
      try await waitUntilInStep([anna, cleo], seconds: 15)
    }
  }

  private func reportTogether() async throws -> Reports {
    try await progress.step("Cleo reports a bridge, a tree and houses by the river") {
      func add(_ title: String, _ place: String) async throws -> String {
        try await cleo.send(
          IDAnswer.self, "report", "add", "--title", title, "--at", place, "--severity", "3"
        ).id
      }
      return Reports(
        bridge: try await add(Script.bridge, "40.3951,-7.5431"),
        tree: try await add(Script.tree, "40.3938,-7.5449"),
        houses: try await add(Script.houses, "40.3967,-7.5418"))
    }
  }

  private func sendBenOut() async throws {
    try await join(ben)
    try await progress.step("Ben walks towards \(Script.camp); all three have converged") {
      try await ben.start(
        [
          "--peer", try links.annaBen.address(at: .second),
          "--peer", try links.benCleo.address(at: .first),
          "--gpx", track.path, "--speed", Script.speed,
        ])
      try await waitUntilInStep([anna, ben, cleo], seconds: 15)
      try await wait(seconds: 10) {
        let status = try await ben.ask(StatusAnswer.self, "status")
        return status.peers.count == 2 ? nil : "Ben's connection to Anna and Cleo"
      }
    }
  }

  // MARK: Apart

  private func cut() async throws -> ContinuousClock.Instant {
    try await progress.step("Cleo's link is cut in both directions", sign: "✂") {
      for link in links.ofCleo { link.cut() }
      return .now
    }
  }

  private func workApart(_ known: Reports) async throws -> Reports {
    var reports = known
    reports.landing = try await progress.step(
      "Anna renames the bridge, deletes the tree, orders evacuation of the houses, adds a report"
    ) {
      try await anna.send("report", "edit", known.bridge, "--title", Script.bridgeByCommand)
      try await anna.send("report", "delete", known.tree, "--yes")
      try await anna.send("report", "edit", known.houses, "--evacuate")
      try await anna.send("user", "status", "safe")
      return try await anna.send(IDAnswer.self, "report", "add", "--title", Script.landing).id
    }
    reports.gas = try await progress.step(
      "Cleo, offline, renames the bridge, edits the tree, cancels the evacuation, adds a report"
    ) {
      try await cleo.send("report", "edit", known.bridge, "--title", Script.bridgeByOwner)
      try await cleo.send(
        "report", "edit", known.tree, "--description", Script.treeByOwner,
        "--severity", "\(Script.treeSeverity)")
      // Ordered and cancelled: Cleo's explicit no, against Anna's yes.
      try await cleo.send("report", "edit", known.houses, "--evacuate")
      try await cleo.send("report", "edit", known.houses, "--no-evacuate")
      try await cleo.send("user", "status", "help", "--note", Script.note)
      return try await cleo.send(IDAnswer.self, "report", "add", "--title", Script.gas).id
    }
    reports.roof = try await progress.step("Ben comments on the bridge and adds a report") {
      try await ben.send("report", "comment", known.bridge, Script.comment)
      return try await ben.send(
        IDAnswer.self, "report", "add", "--title", Script.roof, "--evacuate"
      ).id
    }
    try await progress.step(
      "Ben walks into \(Script.camp)",
      summary: { "Ben walks into \(Script.camp): his laptop and Anna's show him safe" }
    ) {
      for laptop in [ben, anna] {
        try await wait(seconds: 30) {
          let users = try await laptop.ask([UserAnswer].self, "user", "list")
          let seen = users.first { $0.callsign == "Ben" }?.safety ?? "unknown"
          return seen == "safe" ? nil : "\(laptop.callsign)'s laptop shows him \(seen)"
        }
      }
    }
    return reports
  }

  /// Checks the partition before the link is restored: one side has converged, and neither side
  /// knows of the other.
  private func proveApart(_ reports: Reports) async throws {
    let silence = try await progress.step(
      "Anna and Ben converge, without Cleo",
      summary: { "Anna and Ben have converged; Cleo has had no contact for \($0) s" }
    ) { () -> Int in
      try await waitUntilInStep([anna, ben], seconds: 15)
      try checkAddresses(
        of: try await anna.ask(StatusAnswer.self, "status"), at: anna,
        [links.annaBen.address(at: .first), links.annaCleo.address(at: .first)])
      try checkAddresses(
        of: try await ben.ask(StatusAnswer.self, "status"), at: ben,
        [links.annaBen.address(at: .second), links.benCleo.address(at: .first)])
      let status = try await cleo.ask(StatusAnswer.self, "status")
      try checkAddresses(
        of: status, at: cleo,
        [links.annaCleo.address(at: .second), links.benCleo.address(at: .second)])
      let hers = Set(try await cleo.ask([ReportAnswer].self, "report", "list").map(\.id))
      guard hers == [reports.bridge, reports.tree, reports.houses, reports.gas] else {
        throw Failure("Cleo shows reports of others, although her link was cut")
      }
      for laptop in [anna, ben] {
        let theirs = Set(try await laptop.ask([ReportAnswer].self, "report", "list").map(\.id))
        guard theirs == [reports.bridge, reports.houses, reports.landing, reports.roof] else {
          throw Failure(
            "\(laptop.callsign) does not show exactly the reports of its side of the partition")
        }
      }
      return status.peers.map(\.lastHeardSeconds).min() ?? 0
    }
    guard silence > 0 else { throw Failure("Cleo still receives data, although her link is cut") }
  }

  /// Checks that all datagrams use the links; otherwise the cut would prove nothing.
  private func checkAddresses(
    of status: StatusAnswer, at laptop: Laptop, _ ends: [String]
  ) throws {
    if let stranger = status.peers.first(where: { !ends.contains($0.address) }) {
      throw Failure(
        "\(laptop.callsign) receives \(stranger.callsign) from \(stranger.address), "
          + "outside the links of the demo")
    }
  }

  // MARK: Together again

  private func repair() async throws -> (at: ContinuousClock.Instant, inStepAfter: Duration) {
    let repaired = ContinuousClock.now
    let duration = try await progress.step(
      "The link is restored",
      summary: { "The link is restored: all three converge after \($0.inSeconds)" }
    ) { () -> Duration in
      for link in links.ofCleo { link.repair() }
      try await waitUntilInStep([anna, ben, cleo], seconds: 20)
      return repaired.duration(to: .now)
    }
    try await progress.step("All three show who is safe") {
      for laptop in [anna, ben, cleo] {
        try await wait(seconds: 15) {
          let users = try await laptop.ask([UserAnswer].self, "user", "list")
          let wrong = users.first { DemoChecks.safety[$0.callsign] != $0.safety }
          return wrong.map { "\(laptop.callsign) sees \($0.callsign) as \($0.safety)" }
        }
      }
    }
    return (repaired, duration)
  }

  private func look() async throws -> [View] {
    try await progress.step("Every hash, signature and rule is verified again (muster verify)") {
      async let anna = View(of: anna)
      async let ben = View(of: ben)
      async let cleo = View(of: cleo)
      return [try await anna, try await ben, try await cleo]
    }
  }

  // MARK: Waiting

  private func waitUntilInStep(_ laptops: [Laptop], seconds: Int) async throws {
    try await wait(seconds: seconds) {
      let answers = try await withThrowingTaskGroup(of: (String, StatusAnswer).self) { group in
        for laptop in laptops {
          group.addTask { (laptop.callsign, try await laptop.ask(StatusAnswer.self, "status")) }
        }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
      }
      if Set(answers.map(\.1.stateHash)).count == 1, Set(answers.map(\.1.frames)).count == 1 {
        return nil
      }
      return "frames held: "
        + answers.map { "\($0.0) \($0.1.frames)" }.joined(separator: ", ")
    }
  }

  /// Polls until nothing is missing.
  ///
  /// - Parameter missing: what is still missing, for display; nil if nothing is.
  private func wait(
    seconds: Int, _ missing: @Sendable () async throws -> String?
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while let missing = try await missing() {
      guard ContinuousClock.now < deadline else {
        throw Failure("not within \(seconds) s; last seen: \(missing)")
      }
      await progress.wait(for: missing)
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
