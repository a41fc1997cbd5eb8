import MusterModel

extension Scenario {
  /// Whether the swarm draws a crowd for a seed: in one world of ten.
  public static func isCrowd(seed: UInt64) -> Bool {
    var random = RandomStream(seed: seed, named: "is a crowd")
    return random.below(10) == 0
  }

  /// Returns a random scenario of many laptops on one radio channel, whose rate they know, do not
  /// know, or believe to be four times as high. Its load without faults is 10 to 60 % of the
  /// channel. Half of them arrive at once, sleep or are cut off for a while, or write in a burst.
  ///
  /// - Parameter most: the greatest number of laptops, at least 20.
  public static func drawnCrowd(seed: UInt64, most: Int64 = 100) -> Scenario {
    var drawing = CrowdDrawing(seed: seed, most: most)
    return drawing.draw()
  }
}

/// The random choices of a crowd.
private struct CrowdDrawing {
  private var random: RandomStream
  private var scenario: Scenario
  private let most: Int64

  /// What an idle laptop sends, and a position with its relays, in bytes.
  private static let idleBytesPerSecond: Int64 = 12
  private static let positionBytes: Int64 = 1500

  init(seed: UInt64, most: Int64) {
    random = RandomStream(seed: seed, named: "crowd")
    scenario = Scenario(name: "crowd-\(seed)", nodes: [])
    scenario.seed = seed
    self.most = most
  }

  mutating func draw() -> Scenario {
    scenario.durationMilliseconds = 360_000
    scenario.warmUpMilliseconds = 60_000
    scenario.settleMilliseconds = 300_000
    scenario.everyFaultFires = false
    let bitsPerSecond = (16 << random.within(0...6)) * Int64(1000)
    let budget = bitsPerSecond / 8 * random.within(10...60) / 100
    let room = budget * 2 / 3 / Self.idleBytesPerSecond
    let count = max(20, min(random.within(20...most), room))
    scenario.nodes = [NodePlan(name: "post", role: .command)]
    for index in 1..<count {
      var node = NodePlan(name: "crew-\(index)", role: .member)
      node.movement = .walk(acrossMetres: 2000, millimetresPerSecond: 1400)
      scenario.nodes.append(node)
    }
    scenario.network.medium = .shared(bitsPerSecond: bitsPerSecond)
    scenario.network.conditions.lossPerMillion = random.within(0...3) * 10_000
    scenario.network.conditions.delayMilliseconds = 5...30
    let believed = [nil, bitsPerSecond / 8, bitsPerSecond / 2][Int(random.below(3))]
    scenario.network.linkRate = believed.flatMap { LinkRate(bytesPerSecond: Int($0)) }
    let left = max(budget / 10, budget - count * Self.idleBytesPerSecond)
    let interval = count * Self.positionBytes * 1000 / left
    scenario.workload.positionsEveryMilliseconds = min(max(30_000, interval), 600_000)
    scenario.workload.everyMilliseconds = [
      .reports: random.within(30...120) * 1000, .hazards: random.within(60...180) * 1000,
    ]
    drawEvents()
    let rate = believed.map { Quantity.bitRate($0 * 8) } ?? "no rate"
    scenario.story =
      "A crowd, drawn with seed \(scenario.seed): \(count) laptops on "
      + "\(Quantity.bitRate(bitsPerSecond)), \(rate) configured."
    return scenario
  }

  private mutating func drawEvents() {
    let crew = scenario.nodes.dropFirst().map(\.name)
    switch random.below(5) {
    case 0:
      for index in scenario.nodes.indices.dropFirst(scenario.nodes.count / 2) {
        scenario.nodes[index].joinsAtMilliseconds = random.within(1...10_000)
      }
    case 1:
      let half = scenario.nodes.count / 2
      let names = scenario.nodes.map(\.name)
      add(.cut([Array(names.prefix(half)), Array(names.dropFirst(half))]), at: 30_000)
      add(.heal, at: 150_000)
    case 2:
      for name in crew.prefix(Int(random.within(2...Int64(crew.count) / 2))) {
        add(.sleep(name, forMilliseconds: random.within(60...120) * 1000), at: 30_000)
      }
    case 3: add(.burst(crew, reports: 1, hazards: false, together: 1), at: 60_000)
    default: break
    }
  }

  private mutating func add(_ event: TimelineEvent, at milliseconds: Int64) {
    scenario.timeline.append(TimelineEntry(atMilliseconds: milliseconds, event: event))
  }
}
