internal import MusterModel

/// The live screen: a function of the node's replies, the time and the size of the terminal.
///
///     title
///     ALERTS · CHECK-INS · PEOPLE · DIRECTIVES · REPORTS · ZONES · PEERS, as far as there is room
///     keys
struct WatchScreen {
  var status: StatusSummary
  var users: [UserSummary] = []
  var reports: [ReportSummary] = []
  var fences: [FenceSummary] = []
  var directives: [DirectiveSummary] = []
  var alerts: [Alert] = []
  /// The next one due first.
  var checkIns: [CheckInSummary] = []
  /// The own user's call for help.
  var call: CallStanding?
  var times = LocalTime.local

  private struct Section {
    let title: String
    let lines: [WatchLine]
    /// The lines it gets before other sections get more than theirs.
    let share: Int

    /// How many items the lines describe.
    var count: Int { Self.items(in: lines[...]) }

    static func items(in lines: ArraySlice<WatchLine>) -> Int { lines.count { !$0.isDetail } }
  }

  /// Exactly `rows` lines of at most `columns` characters.
  func lines(columns: Int, rows: Int, now: Timestamp, on screen: Screen) -> [String] {
    var sections = sections(now: now)
    // A small screen leaves out the last sections, to show more than headings of the first.
    while sections.count > 2, rows - 2 - sections.count < Self.least(of: sections) {
      sections.removeLast()
    }
    let rooms = rooms(for: sections, in: rows - 2 - sections.count)
    var lines = [title(now: now)]
    for (section, room) in zip(sections, rooms) {
      lines.append(heading(of: section))
      guard room > 0 else { continue }
      let isCut = section.lines.count > room
      lines += section.lines.prefix(isCut ? room - 1 : room)
      if isCut {
        let left = Section.items(in: section.lines.dropFirst(room - 1))
        lines.append(WatchLine("  … \(left) more", .faint))
      }
    }
    lines = Array(lines.prefix(max(0, rows - 1)))
    while lines.count < rows - 1 { lines.append(WatchLine()) }
    if rows > 0 { lines.append(WatchLine("Press q to quit", .faint)) }
    return lines.map { $0.text(columns: columns, on: screen) }
  }

  private static func least(of sections: [Section]) -> Int {
    sections.reduce(0) { $0 + min($1.share, $1.lines.count) }
  }

  /// Gives each section its share, then the rest in the order of importance.
  private func rooms(for sections: [Section], in available: Int) -> [Int] {
    var rooms = sections.map { _ in 0 }
    var left = max(0, available)
    for isFirst in [true, false] {
      for (index, section) in sections.enumerated() {
        let wanted = isFirst ? min(section.share, section.lines.count) : section.lines.count
        let more = min(left, max(0, wanted - rooms[index]))
        rooms[index] += more
        left -= more
      }
    }
    return rooms
  }

  private func title(now: Timestamp) -> WatchLine {
    var line = WatchLine(status.operationName, .strong)
    line.add("  \(String(times.text(now).dropFirst(11)))")
    let members = status.peers.filter { !$0.isRevoked }
    let connected = members.count(where: \.isConnected)
    line.add("  \(connected)/\(ValueText.count(members.count, "peer", "peers")) connected")
    line.add("  \(status.callsign), \(status.role.name)")
    line.add("  state \(status.stateHash.description.prefix(8))", .faint)
    return line
  }

  private func heading(of section: Section) -> WatchLine {
    var line = WatchLine(section.title, .strong)
    line.add(section.lines.isEmpty ? "  none" : "  \(section.count)", .faint)
    return line
  }

  // MARK: Sections

  private func sections(now: Timestamp) -> [Section] {
    let timers = checkIns.filter { $0.state != .done }.prefix(Self.shownCheckIns)
    let alerts = [
      Section(
        title: "ALERTS", lines: warnings + alerts.flatMap { Self.lines($0, now: now) },
        share: 3 + warnings.count)
    ]
    let due =
      timers.isEmpty
      ? [] : [Section(title: "CHECK-INS", lines: timers.map(Self.line), share: 2)]
    return alerts + due + [
      Section(title: "PEOPLE", lines: people.map(Self.line), share: 5),
      Section(
        title: "DIRECTIVES",
        lines: directives.filter { $0.status == .open }.map { Self.line($0, now: now) }, share: 2),
      Section(
        title: "REPORTS", lines: reports.filter { $0.status == .open }.map(Self.line), share: 3),
      Section(title: "ZONES", lines: fences.filter(\.isActive).map(Self.line), share: 2),
      Section(title: "PEERS", lines: status.peers.map(Self.line), share: 1),
    ]
  }

  /// The own call for help, and reasons to doubt the rest of the screen.
  private var warnings: [WatchLine] {
    var warnings: [WatchLine] = []
    if let call, call.isOpen {
      warnings.append(WatchLine("  ! your call for help: \(call.words(times))", .bad))
    }
    warnings += status.withholding.map { peer in
      WatchLine("  ✖ \(peer.callsign) \(ValueText.deed(of: peer))", .bad)
    }
    if let stale = ValueText.stale(status.stale) {
      warnings.append(WatchLine("  ? stale: \(stale)", .doubtful))
    }
    return warnings
  }

  /// The most severe first, as in every list.
  private var people: [UserSummary] {
    users.sorted { UserSummary.isListed($0, before: $1) }
  }

  private static func line(_ user: UserSummary) -> WatchLine {
    var line = WatchLine("  ")
    line.add(user.statusCell.text, width: 17, user.statusCell.paint)
    line.add(user.callsign, width: 14, .strong)
    line.add(ValueText.age(user.age?.seconds), width: 6)
    line.add(user.reasons)
    if !user.team.isEmpty { line.add("  (\(user.team))", .faint) }
    if user.hasLowBattery { line.add("  battery \(user.batteryCell.text)", .bad) }
    return line
  }

  /// How many check-ins the screen shows.
  private static let shownCheckIns = 5

  private static func line(_ timer: CheckInSummary) -> WatchLine {
    var line = WatchLine("  ")
    let cell = timer.stateCell
    line.add(cell.text, width: 17, cell.paint)
    line.add(timer.callsign, width: 14, .strong)
    line.add(timer.leftWords, width: 12)
    line.add(timer.note, .faint)
    return line
  }

  /// An alert, and below a danger the services to call.
  private static func lines(_ alert: Alert, now: Timestamp) -> [WatchLine] {
    guard !alert.contacts.isEmpty else { return [line(alert, now: now)] }
    var contacts = WatchLine("  ")
    contacts.isDetail = true
    contacts.add("", width: 9)
    contacts.add("", width: 6)
    contacts.add("call \(alert.contacts.map(\.words).joined(separator: " · "))")
    return [line(alert, now: now), contacts]
  }

  private static func line(_ alert: Alert, now: Timestamp) -> WatchLine {
    var line = WatchLine("  ")
    let cell = alert.priority.cell
    line.add(cell.text, width: 9, cell.paint)
    line.add(ValueText.age(now.milliseconds(since: alert.agesFrom) / 1000), width: 6)
    line.add(alert.text)
    if let seen = alert.acknowledgement {
      line.add("  ✓ \(seen.name)", .faint)
    } else if !alert.acknowledgements.isEmpty {
      line.add("  \(alert.acknowledgements.map(\.text).joined(separator: ", "))", .faint)
    }
    return line
  }

  private static func line(_ directive: DirectiveSummary, now: Timestamp) -> WatchLine {
    var line = WatchLine("  ")
    let due = directive.dueCell(now: now)
    line.add(directive.words, width: 28, .strong)
    line.add("\(directive.answered)/\(directive.expected.count)", width: 6)
    if !due.text.isEmpty { line.add(due.text + "  ", due.paint) }
    if !directive.unaccounted.isEmpty {
      let names = directive.unaccounted.map(\.callsign).joined(separator: ", ")
      line.add("missing: \(names)", .bad)
    }
    return line
  }

  private static func line(_ report: ReportSummary) -> WatchLine {
    var line = WatchLine("  ")
    line.add(
      report.toEvacuate ? "▲ evacuate" : "· report", width: 10, report.toEvacuate ? .bad : .plain)
    line.add(report.severity.map { "sev \($0)" } ?? "", width: 5)
    line.add(report.title, width: 34, .strong)
    line.add(report.delivery.text)
    return line
  }

  private static func line(_ fence: FenceSummary) -> WatchLine {
    var line = WatchLine("  ")
    line.add(fence.kind.name, width: 9, fence.kind == .hazard ? .bad : .plain)
    line.add(fence.name, width: 20, .strong)
    line.add(
      fence.inside.isEmpty
        ? "no one inside" : "\(fence.inside.count) inside: " + fence.inside.joined(separator: ", "))
    return line
  }

  private static func line(_ peer: PeerSummary) -> WatchLine {
    var line = WatchLine("  ")
    line.add(peer.state.name, width: 9, peer.isConnected ? .good : .doubtful)
    line.add(peer.callsign, width: 14, .strong)
    line.add("seen \(ValueText.age(peer.lastHeardSeconds)) ago", width: 18)
    if let update = PeerView.update(peer) {
      line.add(update, .doubtful)
    } else {
      line.add(peer.behindFrames == 0 ? "up to date" : "missing \(peer.behindFrames) frames")
    }
    return line
  }
}
