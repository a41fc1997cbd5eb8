internal import MusterModel

/// A run to look at: one HTML file that needs nothing else, light or dark as its reader's screen
/// is. Every text in it is escaped; it runs no script.
public struct ReportPage {
  /// The file's contents.
  public let html: String

  /// - Parameter world: played to its end with a recording.
  public init(_ world: World, _ result: RunResult) throws {
    let recording = world.recording ?? Recording()
    let scenario = world.scenario
    let isWell = result.violations.isEmpty
    var body = """
      <header><p class="kind">Muster · simulated mesh</p>
      <h1>\(Markup.escaped(scenario.name))</h1>
      <p class="story">\(Markup.escaped(scenario.story))</p>
      <p class="verdict \(isWell ? "well" : "broken")">\
      \(isWell ? "Every promise held" : "\(result.violations.count) promises did not hold")</p>
      \(Self.figures(result))</header>
      """
    if !isWell { body += Self.violations(result) }
    let recordedMoments = recording.moments
    if recordedMoments.count > 1 {
      let timeline = ReportTimeline(recording, names: world.nodes.map(\.name))
      body += Self.section("Who was there, and what they lacked", timeline.html)
      let curves = ReportCurves(recording, nodes: world.nodes.count)
      body += Self.section("How they came to agree", curves.divergence)
      body += Self.section("What it cost", curves.bytes)
      let map = try ReportMap(world, recordedMoments)
      if map.isWorthALook { body += Self.section("Where they went", map.html) }
    }
    body += Self.section("The end", try Self.nodes(world) + Self.faults(result))
    html = """
      <!doctype html><html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(Markup.escaped(scenario.name)) · Muster</title>
      <style>\(ReportStyle.css)</style></head><body><main>\(body)
      <footer>Seed \(result.seed) · trace \(Markup.escaped(result.traceHash)) · the same seed \
      gives the same run, down to the last byte.</footer></main></body></html>

      """
  }

  private static func section(_ title: String, _ content: String) -> String {
    "<section><h2>\(Markup.escaped(title))</h2>\(content)</section>\n"
  }

  private static func figures(_ result: RunResult) -> String {
    var figures = [
      (ReportText.grouped(result.nodes), "laptops"),
      (ReportText.time(Int64(result.simulatedSeconds * 1000)), "simulated"),
      (ReportText.grouped(result.acknowledgedWrites), "writes acknowledged"),
      (
        result.convergedMilliseconds.map { ReportText.time($0) } ?? "never",
        "until all agreed after the heal"
      ),
      (ReportText.grouped(result.datagrams), "datagrams"),
      ("\(ReportText.grouped(Int(result.bytesPerSecondPerNode))) B/s", "sent by each, on average"),
    ]
    if let reports = result.reports {
      figures.append(
        (ReportText.time(reports.medianMilliseconds), "for half of the reports to be everywhere"))
    }
    let cells = figures.map {
      "<div><dt>\(Markup.escaped($1))</dt><dd>\(Markup.escaped($0))</dd></div>"
    }
    return "<dl class=\"figures\">\(cells.joined())</dl>"
  }

  private static func violations(_ result: RunResult) -> String {
    let rows = result.violations.map {
      "<tr><td>\(ReportText.time($0.atMilliseconds))</td><td>\(Markup.escaped($0.promise))</td>"
        + "<td>\(Markup.escaped($0.detail))</td></tr>"
    }
    return section(
      "Promises that did not hold",
      "<table class=\"bad\"><tr><th>when</th><th>promise</th><th>seen</th></tr>"
        + "\(rows.joined())</table>")
  }

  private static func nodes(_ world: World) throws -> String {
    let rows = try world.nodes.map { node in
      let state = try node.change { try $0.stateHash() }.map { "\($0)".prefix(12) } ?? "–"
      let rejected = node.counters.rejections.values.reduce(0, +)
      return "<tr><td>\(Markup.escaped(node.name))</td><td>\(node.plan.role.name)</td>"
        + "<td>\(node.power.words)</td><td class=\"hash\">\(Markup.escaped(String(state)))</td>"
        + "<td>\(ReportText.grouped(try node.store.counts().frames))</td>"
        + "<td>\(ReportText.grouped(node.interface.datagramsSent))</td>"
        + "<td>\(ReportText.grouped(node.interface.bytesSentInStory))</td>"
        + "<td>\(ReportText.grouped(rejected))</td></tr>"
    }
    return "<div class=\"scroll\"><table><tr><th>laptop</th><th>role</th><th>is</th>"
      + "<th>shows</th><th>frames</th><th>datagrams</th><th>bytes in the story</th>"
      + "<th>rejected</th></tr>\(rows.joined())</table></div>"
  }

  private static func faults(_ result: RunResult) -> String {
    guard !result.knobs.isEmpty else { return "" }
    let items = result.knobs.sorted { $0.key < $1.key }.map {
      "<li><b>\(ReportText.grouped($1))</b> \(Markup.escaped($0.rawValue))</li>"
    }
    return "<h3>Faults that happened</h3><ul class=\"faults\">\(items.joined())</ul>"
  }
}

extension SimulatedNode.Power {
  /// For people.
  var words: String {
    switch self {
    case .absent: "not here yet"
    case .on: "on"
    case .off: "off"
    case .asleep: "asleep"
    }
  }
}
