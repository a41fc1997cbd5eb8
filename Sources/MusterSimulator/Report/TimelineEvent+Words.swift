extension TimelineEvent {
  /// A description in one line.
  var words: String {
    switch self {
    case .cut(let groups): "partition: " + Self.sides(groups)
    case .heal: "all links are back"
    case .block(let from, let to): "\(to) no longer receives \(from)"
    case .flap(let groups, let every, _):
      "flapping every \(Quantity.duration(every)): " + Self.sides(groups)
    case .crash(let name, let time): "\(name) loses power" + Self.lasting(time)
    case .sleep(let name, let time): "\(name) sleeps" + Self.lasting(time)
    case .jump(let name, let by):
      "\(name)'s clock jumps by \(by < 0 ? "−" : "+")\(Quantity.duration(abs(by)))"
    case .readdress(let name): "the address of \(name) changes"
    case .backup(let name): "\(name)'s disk is copied"
    case .restore(let name): "\(name)'s disk is restored from the copy"
    case .burst(let names, let reports, let hazards, _):
      "\(names.count) people write \(reports) \(hazards ? "hazards" : "reports") at once"
    case .weather(let loss): "radio conditions: \(Quantity.percent(loss)) of datagrams are lost"
    case .replay(let rate, _): "an outsider replays \(rate) recorded datagrams per second"
    case .garbage(let rate, _): "an outsider sends \(rate) random datagrams per second"
    case .powerCut(let name, _, let time):
      "\(name) loses power while writing" + Self.lasting(time)
    case .diskFull(let name, let time): "\(name)'s disk is full" + Self.lasting(time)
    case .diskFails(let name, let time): "\(name)'s disk cannot be written" + Self.lasting(time)
    case .withhold(let name, _): "\(name) relays nothing"
    case .flood(let name, let rate, _): "\(name) sends \(rate) invalid signatures per second"
    case .equivocate(let name): "\(name) signs two frames for one position"
    case .overfill(let name, _, _): "\(name) opens logs and invents epochs without limit"
    case .revoke(let name, let by): "\(by) revokes \(name)"
    case .council(let names): "the root key signs a council of \(names.joined(separator: ", "))"
    case .usurp(let name): "a thief with \(name)'s laptop revokes all others"
    case .insider(let name, _, _): "\(name) signs unauthorized and misleading writes"
    case .forger(let name, _, _): "\(name) forges signed data of others"
    }
  }

  /// Whether it takes links away (true), brings them back (false), or neither.
  var cutsLinks: Bool? {
    switch self {
    case .cut, .flap: true
    case .heal: false
    default: nil
    }
  }

  private static func sides(_ groups: [[String]]) -> String {
    let most = 4
    let shown = groups.prefix(most).map { names in
      names.count > most
        ? names.prefix(2).joined(separator: ", ") + " and \(names.count - 2) more"
        : names.joined(separator: ", ")
    }
    let more = groups.count > most ? " | and \(groups.count - most) more" : ""
    return shown.joined(separator: " | ") + more
  }

  private static func lasting(_ milliseconds: Int64?) -> String {
    milliseconds.map { " for \(Quantity.duration($0))" } ?? " until the end"
  }
}
