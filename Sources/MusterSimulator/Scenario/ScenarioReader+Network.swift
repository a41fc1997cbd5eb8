import MusterModel
import Yams

/// Network, workload and expectations.
extension ScenarioReader {
  mutating func readNetwork(_ node: Node) throws(ScenarioFault) {
    var fields = try Fields(node, what: "'network'", file: file)
    scenario.network.conditions = try conditions(&fields)
    scenario.network.multicast = try fields.flag("multicast") ?? true
    scenario.network.rangeMetres = try fields.value(
      "range", "a distance like 800m", Quantity.metres)
    let rate = "a rate like 64kbit/s"
    if let shared = try fields.value("shared", rate, Quantity.bitsPerSecond) {
      scenario.network.medium = .shared(bitsPerSecond: shared)
    }
    if let each = try fields.value("each", rate, Quantity.bitsPerSecond) {
      guard scenario.network.medium == .free else {
        throw fields.fault("the medium is 'shared', or 'each' has its own")
      }
      scenario.network.medium = .perSender(bitsPerSecond: each)
    }
    scenario.network.linkRate = try fields.value("link_rate", rate) { text in
      Quantity.bitsPerSecond(text).flatMap { LinkRate(bytesPerSecond: Int($0 / 8)) }
    }
    if let shape = fields.take("peers") { try connect(as: shape, fields) }
    try fields.finish()
  }

  /// Reads which nodes are started with which addresses.
  private mutating func connect(as shape: Node, _ fields: Fields) throws(ScenarioFault) {
    let names = scenario.nodes.map(\.name)
    for index in names.indices {
      switch shape.scalar?.string {
      case "everyone": scenario.nodes[index].peers += names.filter { $0 != names[index] }
      case "chain": if index > 0 { scenario.nodes[index].peers.append(names[index - 1]) }
      case "ring":
        scenario.nodes[index].peers.append(names[(index + names.count - 1) % names.count])
      case "star": if index > 0 { scenario.nodes[index].peers.append(names[0]) }
      default:
        throw fields.fault("'peers' has to be everyone, chain, ring or star", at: shape)
      }
    }
  }

  private func conditions(_ fields: inout Fields) throws(ScenarioFault) -> LinkConditions {
    var conditions = LinkConditions()
    conditions.lossPerMillion = try fields.perMillion("loss") ?? 0
    conditions.duplicatePerMillion = try fields.perMillion("duplicate") ?? 0
    conditions.corruptPerMillion = try fields.perMillion("corrupt") ?? 0
    conditions.reorderPerMillion = try fields.perMillion("reorder") ?? 0
    conditions.mtuBytes = Int(try fields.number("mtu", within: 100...65_535) ?? 1500)
    let delay = try fields.value("delay", "a time, or two like 5ms..40ms") { text in
      let ends = text.split(separator: "..", omittingEmptySubsequences: false)
        .compactMap { Quantity.milliseconds(String($0)) }
      guard let first = ends.first, let last = ends.last, ends.count <= 2, first >= 0,
        first <= last, last <= 3_600_000
      else { return ClosedRange<Int64>?.none }
      return first...last
    }
    conditions.delayMilliseconds = delay ?? conditions.delayMilliseconds
    return conditions
  }

  mutating func readLinks(_ node: Node) throws(ScenarioFault) {
    for entry in try list(node, of: "links") {
      var fields = try Fields(entry, what: "a link", file: file)
      let (from, to) = try pair(fields.require("between"))
      let oneWay = try fields.flag("one_way") ?? false
      scenario.network.links.append(
        LinkPlan(from: from, to: to, oneWay: oneWay, conditions: try conditions(&fields)))
      try fields.finish()
    }
  }

  // MARK: Workload and expectations

  mutating func readWorkload(_ node: Node) throws(ScenarioFault) {
    var fields = try Fields(node, what: "'workload'", file: file)
    scenario.workload.positionsEveryMilliseconds = try interval("positions", &fields)
    for kind in WorkKind.allCases {
      scenario.workload.everyMilliseconds[kind] = try interval(kind.rawValue, &fields)
    }
    scenario.workload.fences = Int(try fields.number("fences_at_start", within: 0...1000) ?? 0)
    try fields.finish()
  }

  func interval(_ key: String, _ fields: inout Fields) throws(ScenarioFault) -> Int64? {
    guard let interval = try fields.milliseconds(key, mayBeNegative: false) else { return nil }
    guard interval > 0 else { throw fields.fault("'\(key)' cannot be every 0s") }
    return interval
  }

  mutating func readExpectations(_ node: Node) throws(ScenarioFault) {
    var fields = try Fields(node, what: "'expect'", file: file)
    scenario.expectations.convergesWithinMilliseconds = try fields.milliseconds(
      "converges_within", mayBeNegative: false)
    scenario.expectations.bytesPerSecond = try fields.number(
      "bytes_per_second", within: 0...1_000_000_000)
    scenario.expectations.reportsWithinMilliseconds = try fields.milliseconds(
      "reports_within", mayBeNegative: false)
    scenario.expectations.hazardsWithinMilliseconds = try fields.milliseconds(
      "hazards_within", mayBeNegative: false)
    scenario.expectations.dangersWithinMilliseconds = try fields.milliseconds(
      "dangers_within", mayBeNegative: false)
    scenario.expectations.positionsBehindMilliseconds = try fields.milliseconds(
      "positions_behind", mayBeNegative: false)
    try fields.finish()
  }
}
