extension Scenario {
  /// The configured faults, which MUST occur in a run.
  var configuredKnobs: [Knob] {
    var knobs: Set<Knob> = []
    for conditions in [network.conditions] + network.links.map(\.conditions) {
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
      if node.cloneOf != nil { knobs.insert(.clone) }
      if node.admittedBy != nil { knobs.insert(.lostAdmitter) }
    }
    for entry in timeline { if let knob = entry.event.knob { knobs.insert(knob) } }
    if !namesThatOverfill.isEmpty { knobs.insert(.readmission) }
    return knobs.sorted()
  }
}

extension Scenario {
  /// Nodes with disk faults: their disk is simulated by sector, which is slower.
  var namesWithDisks: Set<String> {
    var names: Set<String> = []
    for entry in timeline {
      switch entry.event {
      case .powerCut(let name, _, _), .diskFull(let name, _), .diskFails(let name, _):
        names.insert(name)
      default: break
      }
    }
    return names
  }

  /// Nodes whose logs may have two frames at one position. Nodes need not agree on these logs.
  var namesThatFork: Set<String> {
    var names: Set<String> = []
    for entry in timeline { if case .equivocate(let name) = entry.event { names.insert(name) } }
    for node in nodes {
      if let original = node.cloneOf { names.formUnion([node.name, original]) }
    }
    return names
  }
}

extension Scenario {
  /// Nodes that are revoked at some time: whether their writes count is not known in advance.
  var namesRevoked: Set<String> {
    var names: Set<String> = []
    for entry in timeline {
      switch entry.event {
      case .revoke(let name, _), .usurp(let name): names.insert(name)
      default: break
      }
    }
    return names.union(namesThatOverfill)
  }

  /// The members of the council; empty without one.
  var council: [String] {
    timeline.lazy.compactMap { entry in
      if case .council(let names) = entry.event { names } else { nil }
    }.first ?? []
  }

  /// Nodes that exhaust their quotas, and are revoked at the heal at the latest.
  var namesThatOverfill: Set<String> {
    var names: Set<String> = []
    for entry in timeline {
      if case .overfill(let name, _, _) = entry.event { names.insert(name) }
    }
    return names
  }

  /// Members who write what is meant to mislead others.
  var namesOfInsiders: Set<String> {
    var names: Set<String> = []
    for entry in timeline { if case .insider(let name, _, _) = entry.event { names.insert(name) } }
    return names
  }

  /// Nodes that admitted a device and were destroyed.
  var namesLost: Set<String> { Set(nodes.compactMap(\.admittedBy)) }
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
    case .powerCut: .powerCut
    case .diskFull: .fullDisk
    case .diskFails: .failingDisk
    case .withhold: .withholding
    case .flood: .flood
    case .equivocate: .equivocation
    case .revoke: .revocation
    case .overfill: .overfilling
    case .council: .council
    case .usurp: .usurpation
    case .heal, .backup, .burst: nil
    }
  }
}
