import Foundation
import MusterModel
import Yams

/// A strict reader of scenario files: an unknown key, an impossible time, a duplicate name or a
/// missing track is a `ScenarioFault`, and nothing is run.
struct ScenarioReader {
  let file: String
  private let folder: URL
  var scenario: Scenario
  /// The nodes that a name in a list refers to: one, or all of a counted entry.
  private var groups: [String: [String]] = [:]

  private static let mostNodes: Int64 = 1000

  static func read(file path: String) throws(ScenarioFault) -> Scenario {
    let text: String
    do {
      text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw ScenarioFault(file: path, line: nil, reason: "there is no such file to read")
    }
    return try read(text, file: path)
  }

  /// Reads a scenario.
  ///
  /// - Parameter file: for messages, and to find tracks next to it.
  static func read(_ text: String, file: String) throws(ScenarioFault) -> Scenario {
    let node: Node?
    do {
      node = try Yams.compose(yaml: text)
    } catch {
      throw fault(error, in: file)
    }
    guard let node else { throw ScenarioFault(file: file, line: 1, reason: "the file is empty") }
    var reader = ScenarioReader(file: file)
    try reader.read(node)
    return reader.scenario
  }

  private static func fault(_ error: any Error, in file: String) -> ScenarioFault {
    switch error {
    case YamlError.scanner(_, let problem, let mark, _),
      YamlError.parser(_, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _):
      return ScenarioFault(file: file, line: mark.line, reason: problem)
    case YamlError.duplicatedKeysInMapping(let duplicates, let context):
      let keys = duplicates.sorted().joined(separator: "', '")
      return ScenarioFault(
        file: file, line: context.mark.line, reason: "'\(keys)' is given twice")
    default: return ScenarioFault(file: file, line: nil, reason: "it is not YAML")
    }
  }

  private init(file: String) {
    self.file = file
    let url = URL(filePath: file)
    folder = url.deletingLastPathComponent()
    scenario = Scenario(name: url.deletingPathExtension().lastPathComponent, nodes: [])
  }

  private mutating func read(_ node: Node) throws(ScenarioFault) {
    var fields = try Fields(node, what: "a scenario", file: file)
    guard let story = try fields.text("story"), !story.isEmpty else {
      throw fields.fault("'story' is missing: describe in a few lines what happens")
    }
    scenario.story = story
    scenario.seed = UInt64(try fields.number("seed", within: 0...(.max)) ?? 1)
    guard let duration = try fields.milliseconds("duration", mayBeNegative: false), duration > 0
    else { throw fields.fault("'duration' is missing, or nothing") }
    scenario.durationMilliseconds = duration
    scenario.warmUpMilliseconds =
      try fields.milliseconds("warm_up", mayBeNegative: false) ?? scenario.warmUpMilliseconds
    scenario.settleMilliseconds =
      try fields.milliseconds("settle", mayBeNegative: false) ?? scenario.settleMilliseconds
    scenario.everyFaultFires = try fields.flag("every_fault_fires") ?? true
    try readNodes(fields.require("nodes"))
    if let network = fields.take("network") { try readNetwork(network) }
    if let links = fields.take("links") { try readLinks(links) }
    if let workload = fields.take("workload") { try readWorkload(workload) }
    if let events = fields.take("events") { try readTimeline(events) }
    if let expect = fields.take("expect") { try readExpectations(expect) }
    try fields.finish()
  }

  // MARK: Nodes

  private mutating func readNodes(_ node: Node) throws(ScenarioFault) {
    var peers: [(node: Int, names: Node)] = []
    for entry in try list(node, of: "nodes") {
      var fields = try Fields(entry, what: "a node", file: file)
      guard let name = try fields.text("name"), TextRule.line.accepts(name) else {
        throw fields.fault("a node needs a name of one line")
      }
      guard groups[name] == nil, name != Self.everyone else {
        throw fields.fault("'\(name)' is named twice")
      }
      let role = try fields.value(
        "role", "command, member, observer, relay or archive", Role.init(name:))
      let count = try fields.number("count", within: 1...Self.mostNodes)
      var plan = NodePlan(name: name, role: role ?? .member)
      try readPlace(&plan, &fields)
      plan.joinsAtMilliseconds = try joining(&fields)
      try readClone(&plan, &fields)
      try readAdmitter(&plan, &fields)
      plan.skewMilliseconds = try fields.milliseconds("skew", mayBeNegative: true) ?? 0
      plan.driftPerMillion = try drift(&fields)
      let names = count.map { count in (1...count).map { "\(name)-\($0)" } } ?? [name]
      if let known = fields.take("peers") {
        peers += names.indices.map { (scenario.nodes.count + $0, known) }
      }
      for single in names {
        plan.name = single
        guard single == name || groups[single] == nil else {
          throw fields.fault("'\(single)' is named twice")
        }
        groups[single] = [single]
        scenario.nodes.append(plan)
      }
      groups[name] = names
      try fields.finish()
    }
    guard scenario.nodes.count <= Self.mostNodes else {
      throw ScenarioFault(
        file: file, line: node.mark?.line, reason: "at most \(Self.mostNodes) nodes take part")
    }
    guard let first = scenario.nodes.first, first.role == .command else {
      throw ScenarioFault(
        file: file, line: node.mark?.line, reason: "the first node founds: its role is command")
    }
    guard first.joinsAtMilliseconds == 0 else {
      throw ScenarioFault(
        file: file, line: node.mark?.line, reason: "the first node is there from the beginning")
    }
    groups[Self.everyone] = scenario.nodes.map(\.name)
    for (index, names) in peers { scenario.nodes[index].peers = try self.names(names) }
  }

  private static let everyone = "everyone"

  /// A clone has the role of the copied certificate.
  private func readClone(_ plan: inout NodePlan, _ fields: inout Fields) throws(ScenarioFault) {
    guard let name = try fields.text("clone") else { return }
    guard let original = scenario.nodes.first(where: { $0.name == name }) else {
      throw fields.fault("'clone' has to be a node above")
    }
    guard plan.joinsAtMilliseconds > original.joinsAtMilliseconds else {
      throw fields.fault("a clone joins later than the node that it copies")
    }
    plan.cloneOf = name
    plan.role = original.role
  }

  /// An admitter is never switched on, so neither the founder nor a clone is valid here.
  private func readAdmitter(_ plan: inout NodePlan, _ fields: inout Fields) throws(ScenarioFault) {
    guard let name = try fields.text("admitted_by") else { return }
    guard
      let admitter = scenario.nodes.dropFirst().first(where: { $0.name == name }),
      admitter.role == .command, admitter.cloneOf == nil, admitter.admittedBy == nil,
      plan.cloneOf == nil
    else { throw fields.fault("'admitted_by' has to be a commander above, and not the founder") }
    plan.admittedBy = name
  }

  private func joining(_ fields: inout Fields) throws(ScenarioFault) -> Int64 {
    guard let joins = try fields.milliseconds("joins", mayBeNegative: false) else { return 0 }
    guard joins <= scenario.durationMilliseconds else {
      throw fields.fault("'joins' is after the scenario's end")
    }
    return joins
  }

  private func drift(_ fields: inout Fields) throws(ScenarioFault) -> Int64 {
    try fields.value("drift", "a share from -10% to 10%") { text in
      let isNegative = text.hasPrefix("-")
      guard let share = Quantity.perMillion(isNegative ? String(text.dropFirst()) : text),
        share <= 100_000
      else { return nil }
      return isNegative ? -share : share
    } ?? 0
  }

  private func readPlace(_ plan: inout NodePlan, _ fields: inout Fields) throws(ScenarioFault) {
    if let place = fields.take("at") {
      let numbers = (place.array()).compactMap { $0.scalar.flatMap { Double($0.string) } }
      guard numbers.count == 2, numbers.allSatisfy({ abs($0) <= 100_000 }) else {
        throw fields.fault("'at' has to be [metres north, metres east]", at: place)
      }
      plan.place = GroundPoint(north: numbers[0], east: numbers[1])
    }
    let across = try fields.value("across", "a distance like 800m, at most 100km") { text in
      Quantity.metres(text).flatMap { $0 <= 100_000 ? $0 : nil }
    }
    if let speed = try fields.value("walks", "a speed like 1.4m/s", Quantity.millimetresPerSecond) {
      plan.movement = .walk(acrossMetres: across ?? 1000, millimetresPerSecond: speed)
    } else if across != nil {
      throw fields.fault("'across' is for who walks")
    }
    guard let track = fields.take("track") else { return }
    guard plan.movement == .still, let name = track.scalar?.string else {
      throw fields.fault("'track' has to be a file, for who does not walk", at: track)
    }
    do {
      plan.movement = .track(try TrackFile.read(folder.appending(path: name), from: plan.place))
    } catch {
      throw fields.fault("track '\(name)': \(error.reason)", at: track)
    }
  }

  // MARK: Names and lists

  func list(_ node: Node, of what: String) throws(ScenarioFault) -> [Node] {
    guard let sequence = node.sequence, !sequence.isEmpty else {
      throw ScenarioFault(file: file, line: node.mark?.line, reason: "'\(what)' has to be a list")
    }
    return Array(sequence)
  }

  /// Reads a name, or a list of names; a counted entry's name refers to all of it.
  func names(_ node: Node) throws(ScenarioFault) -> [String] {
    var names: [String] = []
    for entry in node.scalar == nil ? try list(node, of: "names") : [node] {
      guard let name = entry.scalar?.string, let group = groups[name] else {
        throw ScenarioFault(
          file: file, line: entry.mark?.line,
          reason: "no node has the name '\(entry.scalar?.string ?? "")'")
      }
      names += group
    }
    return names
  }

  func single(_ node: Node) throws(ScenarioFault) -> String {
    let names = try names(node)
    guard names.count == 1, let name = names.first else {
      throw ScenarioFault(file: file, line: node.mark?.line, reason: "this takes one node")
    }
    return name
  }

  func pair(_ node: Node) throws(ScenarioFault) -> (String, String) {
    let names = try names(node)
    guard names.count == 2, names[0] != names[1] else {
      throw ScenarioFault(file: file, line: node.mark?.line, reason: "this takes two nodes")
    }
    return (names[0], names[1])
  }

  func partition(_ node: Node) throws(ScenarioFault) -> [[String]] {
    var sides: [[String]] = []
    for entry in try list(node, of: "groups") { sides.append(try names(entry)) }
    let all = sides.flatMap { $0 }
    guard Set(all).count == all.count else {
      throw ScenarioFault(
        file: file, line: node.mark?.line, reason: "a node is on two sides at once")
    }
    return sides
  }
}

extension Scenario {
  /// Reads a scenario file; see `simulations/README.md`.
  public init(file: String) throws(ScenarioFault) { self = try ScenarioReader.read(file: file) }
}
