extension Scenario {
  /// The faults that it asks for, and that MUST happen in a run of it.
  var configuredKnobs: [Knob] {
    var knobs: Set<Knob> = []
    for conditions in [network.conditions] + links.map(\.conditions) {
      if conditions.lossPerMillion > 0 { knobs.insert(.loss) }
      if conditions.duplicatePerMillion > 0 { knobs.insert(.duplicate) }
      if conditions.reorderPerMillion > 0 { knobs.insert(.reorder) }
      if conditions.corruptPerMillion > 0 { knobs.insert(.corrupt) }
      if conditions.mtuBytes < 1228 { knobs.insert(.mtu) }
    }
    if network.rangeMetres != nil { knobs.insert(.range) }
    if network.medium != .free { knobs.insert(.narrow) }
    for node in nodes {
      if node.skewMilliseconds != 0 { knobs.insert(.skew) }
      if node.driftPerMillion != 0 { knobs.insert(.drift) }
    }
    for entry in timeline { if let knob = entry.event.knob { knobs.insert(knob) } }
    return knobs.sorted()
  }
}

extension TimelineEvent {
  fileprivate var knob: Knob? {
    switch self {
    case .cut, .flap: .partition
    case .block: .oneWay
    case .crash: .crash
    case .sleep: .sleep
    case .jump: .jump
    case .readdress: .move
    case .restore: .restore
    case .weather(let loss): loss > 0 ? .loss : nil
    case .replay: .replay
    case .garbage: .garbage
    case .insider: .insider
    case .forger: .forger
    case .heal, .backup, .burst: nil
    }
  }
}
