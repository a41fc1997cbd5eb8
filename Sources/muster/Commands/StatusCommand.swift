internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows how this node is doing and whom it hears.",
    discussion: """
      Example:  muster status

      Two nodes with the same state hash show the same users, reports, fences and events.
      """)

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let door = try await Door.open(home)
    guard case .status(let status) = try await door.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(status.json(now: .now).text) }
    let screen = Screen.current
    for (name, value) in facts(of: status, isRunning: door.isRunning) {
      let label = name.padding(to: 12)
      try Standard.print(Paint.strong.apply(label, on: screen) + SafeText.line(value))
    }
    guard !status.peers.isEmpty else { return }
    try Standard.print("\n" + PeerView.summary(of: status.peers).text(on: screen))
  }

  private func facts(of status: StatusSummary, isRunning: Bool) -> [(String, String)] {
    var facts = [
      ("Operation", "\(status.operationName) (\(status.operation.short))"),
      ("This laptop", "\(status.callsign), \(status.role.name) (\(status.device.short))"),
      ("Node", isRunning ? "running" : "not running: nothing is sent or heard"),
      (
        "Knows",
        [
          Words.count(status.users, "user", "users"),
          Words.count(status.reports, "report", "reports"),
          Words.count(status.fences, "fence", "fences"),
          Words.count(status.crossings, "event", "events"),
        ].joined(separator: ", ")
      ),
      (
        "Holds",
        Words.count(status.frames, "frame", "frames") + " in "
          + Words.count(status.logs, "log", "logs")
          + (status.waitingFrames > 0 ? ", \(status.waitingFrames) not readable yet" : "")
          + (status.quarantinedFrames > 0 ? ", \(status.quarantinedFrames) in quarantine" : "")
      ),
      (
        "State hash",
        "\(status.stateHash)"
          + (status.stateIsIncomplete
            ? " (without frames that wait for a key, or for a later version)" : "")
      ),
    ]
    if let report = status.fix {
      facts.append(("Last fix", "\(Words.fix(report.fix)) at \(report.fix.sampleTime)"))
    }
    if let location = status.location {
      if !location.source.isEmpty {
        facts.append(("Location", "\(location.source), \(location.state), \(location.mode)"))
      }
      let refused = location.refused.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      if !refused.isEmpty {
        facts.append(
          ("Not used", refused.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
      }
    }
    facts += status.uplink?.facts ?? []
    let rejected = status.rejected.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    if !rejected.isEmpty {
      facts.append(
        ("Dropped", rejected.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
    }
    if status.droppedForLackOfRoom > 0 {
      facts.append(
        ("Not sent", "\(status.droppedForLackOfRoom) for lack of room, to be made up for"))
    }
    if status.missingFrames > 0 {
      let frames = Words.count(status.missingFrames, "frame", "frames")
      facts.append(("Missing", "\(frames) lost to damage, which no peer has brought: see verify"))
    }
    for fork in status.forks {
      facts.append(
        (
          "FORK",
          "\(fork.callsign) (\(fork.device.short)) wrote two frames for place \(fork.place) of one "
            + "log: \(Words.count(fork.branches, "branch is", "branches are")) held. A backup was "
            + "restored, a laptop copied, or it lies"
        ))
    }
    if status.isRevoked {
      facts.append(
        (
          "REVOKED",
          "nothing can be written here any more, and what was written before the word came may be "
            + "in quarantine: ask command. Who comes back joins again, in another home"
        ))
    }
    if let lead = status.clockLead, lead.isSuspect {
      facts.append(("CLOCK", "\(lead.words) of those of the laptops that it met: set it right"))
    }
    if let problem = status.stateFolderProblem { facts.append(("STATE FOLDER", problem)) }
    for clone in status.clones {
      facts.append(
        (
          "CLONE",
          "\(clone.callsign)'s laptop (\(clone.device.short)) is in use twice at once, as lives "
            + "\(clone.life.incarnation.short) and \(clone.other.incarnation.short), noticed at "
            + "\(clone.noticedAt): it was copied, or its key stolen. Revoke it, and admit it anew"
        ))
    }
    for bound in status.bounds {
      facts.append(
        (
          "BOUND",
          "\(bound.callsign)'s device (\(bound.device.short)) sends too many \(bound.bound.label): "
            + "\(bound.refusals) refused. Find out why, or revoke it: "
            + "muster revoke \(bound.device.short)"
        ))
    }
    for peer in status.withholding {
      facts.append(("WITHHOLDS", "\(peer.callsign) (\(peer.device.short)) \(Words.deed(of: peer))"))
    }
    if let stale = Words.stale(status.stale) { facts.append(("STALE", stale)) }
    if let update = PeerView.update(status.peers) { facts.append(("UPDATE", update)) }
    facts.append(("Peers", PeerView.count(of: status.peers)))
    return facts
  }
}

extension UplinkSummary {
  fileprivate var facts: [(String, String)] {
    var facts = posts.map { post in
      var words = "\(post.url) \(post.state.name) for \(post.sinceSeconds) s"
      if post.state != .up, !post.lastError.isEmpty { words += ": \(post.lastError)" }
      if post.state != .up, !post.advice.isEmpty { words += " (\(post.advice))" }
      return ("Uplink", words)
    }
    if !serves.isEmpty {
      let guests = Words.count(guests, "laptop", "laptops")
      facts.append(("Command post", "at \(serves), \(guests) there"))
    }
    return facts
  }
}

extension Door {
  var isRunning: Bool {
    if case .running = self { true } else { false }
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
