internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of this node and its peers.",
    discussion: """
      Example:  muster status

      Two nodes with the same state hash show the same people, reports, zones and events.
      """)

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var times: TimeOptions
  @OptionGroup var coordinates: CoordinateOptions

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    guard case .status(let status) = try await connection.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(status.json(now: .now).text) }
    let screen = Screen.current
    let shared = try await Self.sharedCallsigns(by: connection)
    for (name, value) in facts(of: status, isRunning: connection.isRunning) + shared {
      let label = name.padding(to: Self.labelWidth)
      try Standard.print(
        Paint.strong.apply(label, on: screen) + Self.hanging(SafeText.line(value), on: screen))
    }
    guard !status.peers.isEmpty else { return }
    try Standard.print("\n" + PeerView.summary(of: status.peers).text(on: screen))
  }

  /// People who joined under the callsign of another one.
  private static func sharedCallsigns(by connection: NodeConnection) async throws -> [(
    String, String
  )] {
    guard case .users(let users) = try await connection.ask(.users),
      case .devices(let devices) = try await connection.ask(.devices)
    else { throw Refusal.unexpectedReply }
    // A person with a new laptop may keep the callsign: the old device is revoked.
    let active = Set(devices.filter { !$0.isRevoked }.map(\.user))
    return duplicates(among: users.filter { active.contains($0.id) }).map { callsign, ids in
      (
        "SAME NAME",
        "\(ids.count) people are called \(callsign) (\(ids.joined(separator: ", "))): name them by "
          + "id, and invite all but one again under another callsign"
      )
    }
  }

  /// Returns the callsigns that several people have, with the ids of these people.
  static func duplicates(among users: [UserSummary]) -> [(callsign: String, ids: [String])] {
    let present = users.filter { !$0.has(.signedOff) }
    return Dictionary(grouping: present, by: \.callsign).filter { $0.value.count > 1 }
      .map { (callsign: $0.key, ids: $0.value.map(\.id.short).sorted()) }
      .sorted { $0.callsign < $1.callsign }
  }

  private static let labelWidth = 14

  /// The text wrapped beside its label.
  private static func hanging(_ text: String, on screen: Screen) -> String {
    guard let columns = screen.columns, columns > labelWidth + 20 else { return text }
    return WrappedText(text, width: columns - labelWidth).lines
      .joined(separator: "\n" + String(repeating: " ", count: labelWidth))
  }

  private func facts(of status: StatusSummary, isRunning: Bool) -> [(String, String)] {
    contents(of: status, isRunning: isRunning) + location(of: status)
      + (status.uplink?.facts ?? []) + traffic(of: status) + problems(of: status)
      + problemsOfOthers(of: status)
      + [("Peers", PeerView.count(of: status.peers))]
  }

  private func contents(of status: StatusSummary, isRunning: Bool) -> [(String, String)] {
    [
      ("Operation", "\(status.operationName) (\(status.operation.short))"),
      ("This laptop", "\(status.callsign), \(status.role.name) (\(status.device.short))"),
      ("Node", isRunning ? "running" : "not running: start it with `muster run`"),
      (
        "Data",
        [
          ValueText.count(status.users, "person", "people"),
          ValueText.count(status.reports, "report", "reports"),
          ValueText.count(status.fences, "zone", "zones"),
          ValueText.count(status.crossings, "event", "events"),
        ].joined(separator: ", ")
      ),
      (
        "Log",
        ValueText.count(status.frames, "frame", "frames") + " in "
          + ValueText.count(status.logs, "log", "logs")
          + (status.waitingFrames > 0 ? ", \(status.waitingFrames) not readable yet" : "")
          + (status.waitingWrites > 0
            ? ", \(status.waitingWrites) changes of what has not arrived" : "")
          + (status.quarantinedFrames > 0 ? ", \(status.quarantinedFrames) in quarantine" : "")
      ),
      (
        "State hash",
        "\(status.stateHash)"
          + (status.stateIsIncomplete
            ? " (incomplete: some frames need a key or a newer version)" : "")
      ),
    ]
  }

  private func location(of status: StatusSummary) -> [(String, String)] {
    var facts: [(String, String)] = []
    if let report = status.fix {
      let fix = ValueText.fix(report.fix, as: coordinates.format)
      facts.append(("Last fix", "\(fix) at \(times.format.text(report.fix.sampleTime))"))
    }
    if let location = status.location {
      if !location.source.isEmpty {
        facts.append(("Location", "\(location.source), \(location.state), \(location.mode)"))
      }
      let refused = location.refused.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      if !refused.isEmpty {
        facts.append(
          (
            "Ignored",
            refused.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + " (positions)"
          ))
      }
    }
    return facts
  }

  private func traffic(of status: StatusSummary) -> [(String, String)] {
    var facts: [(String, String)] = []
    // Each node receives its own multicast.
    let rejected = status.rejected.filter { $0.value > 0 && $0.key != "ownEcho" }
      .sorted { $0.key < $1.key }
    if !rejected.isEmpty {
      facts.append(
        (
          "Dropped",
          rejected.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + " (datagrams)"
        ))
    }
    if status.droppedForLackOfRoom > 0 {
      facts.append(
        ("Not sent", "\(status.droppedForLackOfRoom) datagrams, queue full; sent again later"))
    }
    if status.missingFrames > 0 {
      let frames = ValueText.count(status.missingFrames, "frame", "frames")
      facts.append(
        (
          "Missing",
          "\(frames) missing here (damage, or a restored backup); peers send them. If none is in "
            + "reach, run `muster verify`"
        ))
    }
    return facts
  }

  private func problems(of status: StatusSummary) -> [(String, String)] {
    var facts: [(String, String)] = []
    for fork in status.forks {
      facts.append(
        (
          "FORK",
          "\(fork.callsign)'s device \(fork.device.short) wrote different frames at position "
            + "\(fork.place) of one log (\(ValueText.count(fork.branches, "branch", "branches"))): "
            + "a restored backup, a copied laptop, or an attack"
        ))
    }
    if status.isRevoked {
      facts.append(
        (
          "REVOKED",
          "this device was revoked and cannot write; recent data of it may be in quarantine. Ask "
            + "command for an invite, and join again with another --home"
        ))
    }
    if let lead = status.clockLead, lead.isSuspect {
      facts.append(("CLOCK", "\(lead.words) of the clocks of its peers: set it right"))
    }
    if let problem = status.location?.problem?.text { facts.append(("NO POSITION", problem)) }
    if let problem = status.stateFolderProblem { facts.append(("STATE FOLDER", problem)) }
    return facts
  }

  private func problemsOfOthers(of status: StatusSummary) -> [(String, String)] {
    var facts: [(String, String)] = []
    for clone in status.clones {
      facts.append(
        (
          "CLONE",
          "\(clone.callsign)'s device \(clone.device.short) \(evidence(of: clone)): revoke it and "
            + "invite the laptop again"
        ))
    }
    for bound in status.bounds {
      facts.append(
        (
          "BOUND",
          "\(bound.callsign)'s device (\(bound.device.short)) sends too many \(bound.bound.label): "
            + "\(bound.refusals) rejected. To stop it: muster revoke \(bound.device.short)"
        ))
    }
    for peer in status.withholding {
      facts.append(
        ("STALLED", "\(peer.callsign) (\(peer.device.short)) \(ValueText.deed(of: peer))"))
    }
    if let stale = ValueText.stale(status.stale) { facts.append(("STALE", stale)) }
    if let update = PeerView.update(status.peers) { facts.append(("UPDATE", update)) }
    return facts
  }

  private func evidence(of clone: CloneSummary) -> String {
    guard let time = clone.noticedAt else {
      return "signed two different records with one number, which no program does"
    }
    return "has two live copies, incarnations \(clone.life.incarnation.short) and "
      + "\(clone.other.incarnation.short), detected \(times.format.text(time))"
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
      let guests = ValueText.count(guests, "laptop", "laptops")
      facts.append(("Command post", "at \(serves), \(guests) connected"))
    }
    return facts
  }
}

extension NodeConnection {
  var isRunning: Bool {
    if case .running = self { true } else { false }
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
