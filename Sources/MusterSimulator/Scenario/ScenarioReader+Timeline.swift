import MusterModel
import Yams

/// The timeline.
extension ScenarioReader {
  mutating func readTimeline(_ node: Node) throws(ScenarioFault) {
    for entry in try list(node, of: "events") {
      var fields = try Fields(entry, what: "an event", file: file)
      guard let at = try fields.milliseconds("at", mayBeNegative: false) else {
        throw fields.fault("an event needs 'at'")
      }
      guard at <= scenario.durationMilliseconds else {
        let end = Quantity.duration(scenario.durationMilliseconds)
        throw fields.fault("at \(Quantity.duration(at)) the scenario is over: it ends at \(end)")
      }
      let event = try event(&fields, at: at)
      scenario.timeline.append(TimelineEntry(atMilliseconds: at, event: event))
      try fields.finish()
    }
    scenario.timeline.sort { $0.atMilliseconds < $1.atMilliseconds }
  }

  private func event(_ fields: inout Fields, at: Int64) throws(ScenarioFault) -> TimelineEvent {
    if let groups = fields.take("cut") { return .cut(try partition(groups)) }
    if try fields.flag("heal") != nil { return .heal }
    if let block = fields.take("block") {
      let (from, to) = try pair(block)
      return .block(from: from, to: to)
    }
    if let groups = fields.take("flap") {
      guard let every = try interval("every", &fields) else {
        throw fields.fault("'flap' needs 'every'")
      }
      return .flap(
        try partition(groups), everyMilliseconds: every,
        untilMilliseconds: try until(&fields, after: at))
    }
    if let name = fields.take("crash") {
      return .crash(try single(name), forMilliseconds: try interval("for", &fields))
    }
    if let name = fields.take("sleep") {
      return .sleep(try single(name), forMilliseconds: try interval("for", &fields))
    }
    if let name = fields.take("jump") {
      guard let by = try fields.milliseconds("by", mayBeNegative: true) else {
        throw fields.fault("'jump' needs 'by'")
      }
      return .jump(try single(name), byMilliseconds: by)
    }
    if let name = fields.take("readdress") { return .readdress(try single(name)) }
    if let name = fields.take("backup") { return .backup(try single(name)) }
    if let name = fields.take("restore") { return try restore(name, at: at, fields) }
    if let name = fields.take("revoke") { return try revoke(name, &fields) }
    if let members = fields.take("council") { return .council(try council(members, fields)) }
    if let name = fields.take("usurp") { return .usurp(try usurper(name, fields)) }
    if let event = try diskFault(&fields) { return event }
    if let loss = try fields.perMillion("weather") { return .weather(lossPerMillion: loss) }
    return try noise(&fields, at: at)
  }

  private func revoke(
    _ name: Node, _ fields: inout Fields
  ) throws(ScenarioFault) -> TimelineEvent {
    guard let by = fields.take("by") else { throw fields.fault("'revoke' needs 'by'") }
    let (target, revoker) = (try single(name), try single(by))
    let role = scenario.nodes.first { $0.name == revoker }?.role
    guard role == .command else { throw fields.fault("'\(revoker)' may not revoke") }
    guard target != scenario.nodes.first?.name || scenario.council.contains(target) else {
      throw fields.fault("no device is senior to '\(target)', who founds the operation")
    }
    return .revoke(target, by: revoker)
  }

  private func council(_ node: Node, _ fields: Fields) throws(ScenarioFault) -> [String] {
    let members = try names(node)
    let commanders = scenario.nodes.filter { $0.role == .command && $0.cloneOf == nil }.map(\.name)
    guard scenario.council.isEmpty, members.allSatisfy(commanders.contains),
      Limits.councilMembers.contains(members.count), Set(members).count == members.count
    else { throw fields.fault("one 'council' is of 3 to 15 commanders") }
    return members
  }

  private func usurper(_ node: Node, _ fields: Fields) throws(ScenarioFault) -> String {
    let name = try single(node)
    guard scenario.council.contains(name) else {
      throw fields.fault("'\(name)' is not in a council above")
    }
    return name
  }

  private func diskFault(_ fields: inout Fields) throws(ScenarioFault) -> TimelineEvent? {
    if let name = fields.take("power_cut") {
      let change = try fields.number("change", within: 1...1_000_000)
      return .powerCut(
        try single(name), inChange: change ?? 1, forMilliseconds: try interval("for", &fields))
    }
    if let name = fields.take("disk_full") {
      guard let duration = try interval("for", &fields) else {
        throw fields.fault("'disk_full' needs 'for'")
      }
      return .diskFull(try single(name), forMilliseconds: duration)
    }
    if let name = fields.take("disk_fails") {
      guard let duration = try interval("for", &fields) else {
        throw fields.fault("'disk_fails' needs 'for'")
      }
      return .diskFails(try single(name), forMilliseconds: duration)
    }
    return nil
  }

  private func noise(_ fields: inout Fields, at: Int64) throws(ScenarioFault) -> TimelineEvent {
    if let people = fields.take("burst") {
      let reports = try fields.number("reports", within: 1...1_000_000)
      let hazards = try fields.number("hazards", within: 1...1_000_000)
      guard (reports == nil) != (hazards == nil) else {
        throw fields.fault("'burst' needs how many 'reports' or 'hazards'")
      }
      let together = try fields.number("together", within: 1...10_000)
      return .burst(
        try names(people), reports: Int(reports ?? hazards ?? 0), hazards: hazards != nil,
        together: Int(together ?? 1))
    }
    if let name = fields.take("insider") {
      let (name, every, until) = try member(name, "insider", &fields, at: at)
      return .insider(name, everyMilliseconds: every, untilMilliseconds: until)
    }
    if let name = fields.take("forger") {
      let (name, every, until) = try member(name, "forger", &fields, at: at)
      return .forger(name, everyMilliseconds: every, untilMilliseconds: until)
    }
    if let node = fields.take("overfill") {
      let (name, every, until) = try member(node, "overfill", &fields, at: at)
      guard name != scenario.nodes.first?.name else {
        throw fields.fault("no device can revoke '\(name)', who founds the operation")
      }
      return .overfill(name, everyMilliseconds: every, untilMilliseconds: until)
    }
    let rates: ClosedRange<Int64> = 1...1_000_000
    if let name = fields.take("withhold") {
      return .withhold(try single(name), untilMilliseconds: try until(&fields, after: at))
    }
    if let name = fields.take("equivocate") { return .equivocate(try single(name)) }
    if let name = fields.take("flood") {
      guard let rate = try fields.number("rate", within: rates) else {
        throw fields.fault("'flood' needs 'rate', in datagrams a second")
      }
      return .flood(
        try single(name), perSecond: rate, untilMilliseconds: try until(&fields, after: at))
    }
    if let perSecond = try fields.number("replay", within: rates) {
      return .replay(perSecond: perSecond, untilMilliseconds: try until(&fields, after: at))
    }
    if let perSecond = try fields.number("garbage", within: rates) {
      return .garbage(perSecond: perSecond, untilMilliseconds: try until(&fields, after: at))
    }
    throw fields.fault("an event needs an action")
  }

  private func member(
    _ name: Node, _ key: String, _ fields: inout Fields, at: Int64
  ) throws(ScenarioFault) -> (name: String, every: Int64, until: Int64) {
    guard let every = try interval("every", &fields) else {
      throw fields.fault("'\(key)' needs 'every'")
    }
    return (try single(name), every, try until(&fields, after: at))
  }

  private func restore(
    _ name: Node, at: Int64, _ fields: Fields
  ) throws(ScenarioFault) -> TimelineEvent {
    let name = try single(name)
    let hasBackup = scenario.timeline.contains {
      $0.event == .backup(name) && $0.atMilliseconds <= at
    }
    guard hasBackup else { throw fields.fault("'\(name)' has no backup to restore") }
    return .restore(name)
  }

  private func until(_ fields: inout Fields, after at: Int64) throws(ScenarioFault) -> Int64 {
    guard let until = try fields.milliseconds("until", mayBeNegative: false) else {
      return scenario.durationMilliseconds
    }
    guard until > at else { throw fields.fault("'until' is not after 'at'") }
    return until
  }
}
