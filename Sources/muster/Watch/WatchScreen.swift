internal import MusterModel

/// The live screen: a function of the node's replies, the time, the size of the terminal and what
/// was scrolled.
///
///     title
///     the most urgent alert, once it is scrolled away
///     ALERTS · CHECK-INS · PEOPLE · ORDERS · REPORTS · ZONES · SHELVED · PEERS, as far as there is
///     room
///     what is above and below, and the keys
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
    /// Of its items, for the line that counts them.
    let nouns: (one: String, many: String)
    let lines: [WatchLine]

    /// How many items some of its lines describe.
    static func count(in lines: ArraySlice<WatchLine>) -> Int { lines.count { !$0.isDetail } }
  }

  /// A line of the body.
  private struct BodyLine {
    let line: WatchLine
    /// Nil for a heading or a detail, which is no item.
    var section: Int?
  }

  /// Exactly `rows` lines of at most `columns` characters.
  ///
  /// - Parameter scroll: is fitted to what there is to show.
  func lines(
    columns: Int, rows: Int, _ scroll: inout WatchScroll, now: Timestamp, on screen: Screen
  ) -> [String] {
    let sections = sections(columns: columns, now: now)
    let body = Self.body(of: sections)
    let worst = mostUrgent(now: now)
    let room = max(0, rows - 2)
    scroll.fit(body.count, in: room, isTopRepeated: worst != nil)
    var lines = [title(now: now)]
    if let worst, scroll.top > 0 { lines.append(worst) }
    let shown = scroll.top..<min(body.count, scroll.top + room - (lines.count - 1))
    if scroll.showsHelp {
      lines =
        [title(now: now), WatchLine("KEYS", .strong)] + WatchKey.list.map { WatchLine("  " + $0) }
    } else if !shown.isEmpty {
      lines += body[shown].map(\.line)
    }
    lines = Array(lines.prefix(max(0, rows - 1)))
    while lines.count < rows - 1 { lines.append(WatchLine()) }
    if rows > 0 { lines.append(Self.footer(of: body, shown: shown, sections, columns: columns)) }
    return lines.map { $0.text(columns: columns, on: screen) }
  }

  /// One screen on a terminal; everything, without a limit of width, in a file or a pipe.
  func print(now: Timestamp, on screen: Screen) -> String {
    guard let columns = screen.columns else {
      let body = Self.body(of: sections(columns: nil, now: now)).map(\.line)
      return ([title(now: now)] + body).map { $0.text(columns: nil, on: screen) }
        .joined(separator: "\n")
    }
    var scroll = WatchScroll()
    return lines(columns: columns, rows: LiveTerminal.size.rows, &scroll, now: now, on: screen)
      .joined(separator: "\n")
  }

  private static func body(of sections: [Section]) -> [BodyLine] {
    sections.enumerated().flatMap { index, section in
      [BodyLine(line: heading(of: section))]
        + section.lines.map { BodyLine(line: $0, section: $0.isDetail ? nil : index) }
    }
  }

  /// The last line: how much of what is above and below the shown lines.
  private static func footer(
    of body: [BodyLine], shown: Range<Int>, _ sections: [Section], columns: Int
  ) -> WatchLine {
    let keys = "? keys  q quit"
    let room = columns - DisplayWidth.of(keys) - 2
    let parts = [("▲", body[..<shown.lowerBound]), ("▼", body[shown.upperBound...])]
    func text(_ words: (ArraySlice<BodyLine>) -> String) -> String {
      parts.filter { !$0.1.isEmpty }.map { "\($0.0) \(words($0.1))" }.joined(separator: "  ")
    }
    let counted = text { counts(of: $0, sections) }
    let short = DisplayWidth.of(counted) <= room ? counted : text { "\($0.count) lines" }
    let outside = DisplayWidth.cut(short, to: max(0, room))
    var line = WatchLine(outside, .strong)
    line.add(String(repeating: " ", count: max(0, columns - DisplayWidth.of(outside + keys))))
    line.add(keys, .faint)
    return line
  }

  /// `2 alerts, 14 people`.
  private static func counts(of body: ArraySlice<BodyLine>, _ sections: [Section]) -> String {
    let counts = sections.indices.compactMap { index -> String? in
      let count = body.count { $0.section == index }
      let nouns = sections[index].nouns
      return count == 0 ? nil : ValueText.count(count, nouns.one, nouns.many)
    }
    return counts.isEmpty
      ? ValueText.count(body.count, "line", "lines")
      : counts.joined(separator: ", ")
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

  private static func heading(of section: Section) -> WatchLine {
    var line = WatchLine(section.title, .strong)
    let count = Section.count(in: section.lines[...])
    line.add(count == 0 ? "  none" : "  \(count)", .faint)
    return line
  }

  // MARK: Sections

  /// The sections with something in them; alerts and people in any case.
  ///
  /// - Parameter columns: nil without a limit.
  private func sections(columns: Int?, now: Timestamp) -> [Section] {
    let ordered = AlertPlace.inOrder(alerts)
    let urgent = ordered.prefix { $0.priority >= .danger }
    let others = ordered.dropFirst(urgent.count).filter { $0.shelving == nil }
    let alertLines =
      callLine.map { [$0] } ?? []
      + urgent.flatMap { Self.lines($0, columns: columns, now: now) }
      + doubts + others.flatMap { Self.lines($0, columns: columns, now: now) }
    let open = directives.filter { $0.status == .open }
    let hazards = reports.filter { $0.status == .open }
    let sections = [
      Section(title: "ALERTS", nouns: ("alert", "alerts"), lines: alertLines),
      Section(
        title: "CHECK-INS", nouns: ("check-in", "check-ins"),
        lines: checkIns.filter { $0.state != .done }.map(Self.line)),
      Section(title: "PEOPLE", nouns: ("person", "people"), lines: people.map(Self.line)),
      Section(
        title: "ORDERS", nouns: ("order", "orders"), lines: open.map { Self.line($0, now: now) }),
      Section(title: "REPORTS", nouns: ("report", "reports"), lines: hazards.map(Self.line)),
      Section(
        title: "ZONES", nouns: ("zone", "zones"), lines: fences.filter(\.isActive).map(Self.line)),
      Section(
        title: "SHELVED", nouns: ("shelved warning", "shelved warnings"),
        lines: ordered.filter { $0.shelving != nil }.map { Self.line($0, now: now) }),
      Section(title: "PEERS", nouns: ("peer", "peers"), lines: status.peers.map(Self.line)),
    ]
    return sections.filter { !$0.lines.isEmpty || ["ALERTS", "PEOPLE"].contains($0.title) }
  }

  /// The first line of the most urgent alarm; nil if there is none.
  private func mostUrgent(now: Timestamp) -> WatchLine? {
    let first = AlertPlace.inOrder(alerts).first { $0.priority >= .danger }
    return callLine ?? first.map { Self.line($0, now: now) }
  }

  /// The own user's call for help.
  private var callLine: WatchLine? {
    guard let call, call.isOpen else { return nil }
    return WatchLine("  ! your call for help: \(call.words(times))", .bad)
  }

  /// Reasons to doubt the rest of the screen.
  private var doubts: [WatchLine] {
    var doubts = status.withholding.map { peer in
      WatchLine("  ✖ \(peer.callsign) \(ValueText.deed(of: peer))", .bad)
    }
    if let stale = ValueText.stale(status.stale) {
      doubts.append(WatchLine("  ? stale: \(stale)", .doubtful))
    }
    return doubts
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
  private static func line(_ timer: CheckInSummary) -> WatchLine {
    var line = WatchLine("  ")
    let cell = timer.stateCell
    line.add(cell.text, width: 17, cell.paint)
    line.add(timer.callsign, width: 14, .strong)
    line.add(timer.leftWords, width: 12)
    line.add(timer.note, .faint)
    return line
  }

  private static let alertIndent = 19

  /// An alert; an alarm with its whole text, and below a danger the services to call.
  private static func lines(_ alert: Alert, columns: Int?, now: Timestamp) -> [WatchLine] {
    let room = alert.priority >= .danger ? columns.map { max(20, $0 - alertIndent) } : nil
    let texts = room.map { WrappedText(SafeText.line(alert.text), width: $0).lines } ?? [alert.text]
    func detail(_ text: String) -> WatchLine {
      var line = WatchLine(String(repeating: " ", count: alertIndent) + text)
      line.isDetail = true
      return line
    }
    let contacts = alert.contacts.map(\.words).joined(separator: " · ")
    return [line(alert, texts[0], now: now)] + texts.dropFirst().map(detail)
      + (contacts.isEmpty ? [] : [detail("call \(contacts)")])
  }

  private static func line(_ alert: Alert, _ text: String? = nil, now: Timestamp) -> WatchLine {
    var line = WatchLine("  ")
    let cell = alert.priority.cell
    line.add(cell.text, width: 9, cell.paint)
    line.add(ValueText.age(now.milliseconds(since: alert.agesFrom) / 1000), width: 6)
    if let shelving = alert.shelving {
      let minutes = max(1, (shelving.until.milliseconds(since: now) + 59_999) / 60_000)
      line.add("\(shelving.name), \(minutes) min left, \(shelving.reason): ", .faint)
    } else if let seen = alert.acknowledgement {
      line.add("✓ \(seen.name): ", .faint)
    } else if !alert.acknowledgements.isEmpty {
      line.add("\(alert.acknowledgements.map(\.text).joined(separator: ", ")): ", .faint)
    }
    line.add(text ?? alert.text)
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
    line.add(report.title, width: 48, .strong)
    line.add(report.delivery.shortText)
    return line
  }

  private static func line(_ fence: FenceSummary) -> WatchLine {
    var line = WatchLine("  ")
    line.add(fence.kind.word, width: 9, fence.kind == .hazard ? .bad : .plain)
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
