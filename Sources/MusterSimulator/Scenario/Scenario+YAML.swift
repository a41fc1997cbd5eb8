/// Output of a scenario as a file, for scenarios that the swarm drew and shrank.
extension Scenario {
  /// The YAML text. Nodes with a recorded track are not supported: the swarm draws none.
  public var yaml: String {
    var lines = ["story: |"]
    lines += story.split(separator: "\n").map { "  \($0)" }
    lines.append("seed: \(seed)")
    lines.append("warm_up: \(Quantity.duration(warmUpMilliseconds))")
    lines.append("duration: \(Quantity.duration(durationMilliseconds))")
    lines.append("settle: \(Quantity.duration(settleMilliseconds))")
    if !everyFaultFires { lines.append("every_fault_fires: false") }
    lines.append("nodes:")
    lines += nodes.map { "  - {\($0.yaml)}" }
    lines.append("network: {\(network.yaml)}")
    if !network.links.isEmpty {
      lines.append("links:")
      lines += network.links.map { link in
        let direction = link.oneWay ? ", one_way: true" : ""
        return "  - {between: [\(link.from), \(link.to)]\(direction), \(link.conditions.yaml)}"
      }
    }
    if !workload.yaml.isEmpty { lines.append("workload: {\(workload.yaml)}") }
    if !timeline.isEmpty {
      lines.append("events:")
      lines += timeline.map {
        "  - {at: \(Quantity.duration($0.atMilliseconds)), \($0.event.yaml)}"
      }
    }
    if !expectations.yaml.isEmpty { lines.append("expect: {\(expectations.yaml)}") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension NodePlan {
  fileprivate var yaml: String {
    var parts = ["name: \(name)", "role: \(role.name)"]
    if place != GroundPoint(north: 0, east: 0) {
      parts.append("at: [\(Int(place.north)), \(Int(place.east))]")
    }
    if case .walk(let across, let speed) = movement {
      parts.append("walks: \(speed / 1000).\(String(1000 + speed % 1000).dropFirst())m/s")
      parts.append("across: \(across)m")
    }
    if let admittedBy { parts.append("admitted_by: \(admittedBy)") }
    if let cloneOf { parts.append("clone: \(cloneOf)") }
    if joinsAtMilliseconds != 0 { parts.append("joins: \(Quantity.duration(joinsAtMilliseconds))") }
    if skewMilliseconds != 0 { parts.append("skew: \(Quantity.duration(skewMilliseconds))") }
    if driftPerMillion != 0 {
      parts.append(
        "drift: \(driftPerMillion < 0 ? "-" : "")\(Quantity.percent(abs(driftPerMillion)))")
    }
    if !peers.isEmpty { parts.append("peers: [\(peers.joined(separator: ", "))]") }
    return parts.joined(separator: ", ")
  }
}

extension NetworkPlan {
  fileprivate var yaml: String {
    var parts = [conditions.yaml]
    if !multicast { parts.append("multicast: false") }
    if let rangeMetres { parts.append("range: \(rangeMetres)m") }
    switch medium {
    case .free: break
    case .shared(let rate): parts.append("shared: \(Quantity.bitRate(rate))")
    case .perSender(let rate): parts.append("each: \(Quantity.bitRate(rate))")
    }
    if let linkRate {
      parts.append("link_rate: \(Quantity.bitRate(Int64(linkRate.bytesPerSecond) * 8))")
    }
    return parts.joined(separator: ", ")
  }
}

extension LinkConditions {
  fileprivate var yaml: String {
    let (least, most) = (delayMilliseconds.lowerBound, delayMilliseconds.upperBound)
    var parts = ["delay: \(Quantity.duration(least))..\(Quantity.duration(most))"]
    for (name, share) in [
      ("loss", lossPerMillion), ("duplicate", duplicatePerMillion),
      ("corrupt", corruptPerMillion), ("reorder", reorderPerMillion),
    ] where share > 0 {
      parts.append("\(name): \(Quantity.percent(share))")
    }
    if mtuBytes != 1500 { parts.append("mtu: \(mtuBytes)") }
    return parts.joined(separator: ", ")
  }
}

extension WorkloadPlan {
  fileprivate var yaml: String {
    var parts: [String] = []
    if let positions = positionsEveryMilliseconds {
      parts.append("positions: \(Quantity.duration(positions))")
    }
    for kind in WorkKind.allCases {
      if let every = everyMilliseconds[kind] {
        parts.append("\(kind.rawValue): \(Quantity.duration(every))")
      }
    }
    if fences > 0 { parts.append("fences_at_start: \(fences)") }
    return parts.joined(separator: ", ")
  }
}

extension Expectations {
  fileprivate var yaml: String {
    var parts: [String] = []
    if let bytesPerSecond { parts.append("bytes_per_second: \(bytesPerSecond)") }
    for (name, time) in [
      ("converges_within", convergesWithinMilliseconds),
      ("reports_within", reportsWithinMilliseconds), ("hazards_within", hazardsWithinMilliseconds),
      ("dangers_within", dangersWithinMilliseconds),
      ("positions_behind", positionsBehindMilliseconds),
    ] {
      if let time { parts.append("\(name): \(Quantity.duration(time))") }
    }
    return parts.joined(separator: ", ")
  }
}

extension TimelineEvent {
  /// The event as in a file, without its time.
  public var yaml: String {
    func time(_ milliseconds: Int64) -> String { Quantity.duration(milliseconds) }
    func sides(_ groups: [[String]]) -> String {
      "[" + groups.map { "[\($0.joined(separator: ", "))]" }.joined(separator: ", ") + "]"
    }
    switch self {
    case .cut(let groups): return "cut: \(sides(groups))"
    case .heal: return "heal: true"
    case .block(let from, let to): return "block: [\(from), \(to)]"
    case .flap(let groups, let every, let until):
      return "flap: \(sides(groups)), every: \(time(every)), until: \(time(until))"
    case .crash(let name, let duration):
      return "crash: \(name)" + (duration.map { ", for: \(time($0))" } ?? "")
    case .sleep(let name, let duration):
      return "sleep: \(name)" + (duration.map { ", for: \(time($0))" } ?? "")
    case .jump(let name, let by): return "jump: \(name), by: \(time(by))"
    case .readdress(let name): return "readdress: \(name)"
    case .backup(let name): return "backup: \(name)"
    case .restore(let name): return "restore: \(name)"
    case .burst(let names, let count, let hazards, let together):
      let what = hazards ? "hazards" : "reports"
      return "burst: [\(names.joined(separator: ", "))], \(what): \(count)"
        + (together > 1 ? ", together: \(together)" : "")
    case .weather(let loss): return "weather: \(Quantity.percent(loss))"
    case .insider(let name, let every, let until):
      return "insider: \(name), every: \(time(every)), until: \(time(until))"
    case .forger(let name, let every, let until):
      return "forger: \(name), every: \(time(every)), until: \(time(until))"
    case .powerCut(let name, let change, let duration):
      return "power_cut: \(name), change: \(change)"
        + (duration.map { ", for: \(time($0))" } ?? "")
    case .diskFull(let name, let duration): return "disk_full: \(name), for: \(time(duration))"
    case .diskFails(let name, let duration): return "disk_fails: \(name), for: \(time(duration))"
    case .withhold(let name, let until): return "withhold: \(name), until: \(time(until))"
    case .flood(let name, let perSecond, let until):
      return "flood: \(name), rate: \(perSecond), until: \(time(until))"
    case .equivocate(let name): return "equivocate: \(name)"
    case .overfill(let name, let every, let until):
      return "overfill: \(name), every: \(time(every)), until: \(time(until))"
    case .revoke(let name, let by): return "revoke: \(name), by: \(by)"
    case .council(let names): return "council: [\(names.joined(separator: ", "))]"
    case .usurp(let name): return "usurp: \(name)"
    case .replay(let perSecond, let until): return "replay: \(perSecond), until: \(time(until))"
    case .garbage(let perSecond, let until): return "garbage: \(perSecond), until: \(time(until))"
    }
  }
}
