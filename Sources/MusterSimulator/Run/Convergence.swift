import MusterModel
import MusterReplica

/// A comparison of what the nodes of a world hold and show.
struct Convergence {
  private let nodes: [SimulatedNode]
  /// The nodes that are not revoked.
  private let authorized: [SimulatedNode]
  /// The nodes that are promised the writes of all others.
  private let promised: [SimulatedNode]
  private let overfillers: Set<Int>
  private let madeUpEpochs: Set<EpochID>

  init(of world: World) {
    nodes = world.nodes
    authorized = nodes.filter { !world.isRevoked($0) }
    promised = nodes.filter(world.isPromisedOthersWork)
    overfillers = world.faulty.overfillers
    madeUpEpochs = world.attackers.madeUpEpochs
  }

  // MARK: Agreement

  /// Returns whether all participants hold the same and, if they may read, show the same.
  func isComplete() throws -> Bool {
    var root: [UInt8]?
    var evidence: [EvidenceID]?
    for node in authorized where node.isRunning {
      guard node.replica?.mayDifferFromDisk == false, let own = node.replica?.root() else {
        return false
      }
      guard root ?? own == own else { return false }
      root = own
      let held = node.replica?.queries.membership.evidence
      guard evidence ?? held == held else { return false }
      evidence = held
    }
    var state: StateHash?
    for node in authorized where node.isRunning && node.reads {
      guard try !isWaiting(node), let own = try node.replica?.stateHash()
      else { return false }
      guard state ?? own == own else { return false }
      state = own
    }
    return try isKeyEverywhere()
  }

  /// Returns whether all authorized readers have the founder's current key, which may be unused so
  /// far: checked if a node tries to prevent that.
  private func isKeyEverywhere() throws -> Bool {
    guard !overfillers.isEmpty,
      let epoch = try nodes[0].change({ try $0.queries.writingEpoch })??.id
    else { return true }
    for node in promised where node.reads {
      guard try node.store.epochKeys().contains(where: { $0.id == epoch }) else { return false }
    }
    return true
  }

  /// Returns whether frames wait for data that can arrive; the key of a made-up epoch cannot.
  private func isWaiting(_ node: SimulatedNode) throws -> Bool {
    guard try node.store.counts().waiting > 0 else { return false }
    let filling = Set(overfillers.map { nodes[$0].credentials.certificate })
    guard !filling.isEmpty || !madeUpEpochs.isEmpty else { return true }
    return try node.store.waiting(limit: .max).contains { frame in
      if case .key(let epoch) = frame.reason, madeUpEpochs.contains(epoch) { return false }
      return !filling.contains(frame.opening.certificate)
    }
  }

  // MARK: Difference

  /// Returns the largest differences in one line.
  func difference() throws -> String {
    var groups: [[UInt8]: [String]] = [:]
    for node in nodes where node.isRunning {
      groups[node.replica?.root() ?? [], default: []].append(node.name)
    }
    let sorted = groups.values.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    let described = sorted.map { names in
      names.count > 4 ? "\(names.count) nodes" : names.joined(separator: ", ")
    }
    let waiting = try nodes.filter { $0.isRunning && $0.reads }.compactMap { node in
      let frames = try node.store.counts().waiting
      return frames > 0
        ? "\(node.name) cannot read \(frames) frames yet (\(try authorsWaitedFor(by: node)))" : nil
    }
    return described.count == 1
      ? (["all hold the same and show something else"] + waiting).joined(separator: ", ")
      : "\(described.count) different holdings: \(described.joined(separator: " | "))"
        + (try missing(in: sorted))
  }

  /// Returns what the first differing nodes lack of what the largest group, the first, holds.
  private func missing(in groups: [[String]]) throws -> String {
    let named = groups.compactMap { names in nodes.first { $0.name == names[0] } }
    guard let most = named.first else { return "" }
    let records = Set(try most.store.records())
    let heads = Set(try most.store.logs().map(\.head))
    return try named.dropFirst().prefix(4).map { node in
      let lacked = records.subtracting(try node.store.records())
      var parts = Dictionary(grouping: lacked) { "\($0.kind) records of \(author($0.certificate))" }
        .sorted { $0.key < $1.key }.map { "\($0.value.count) \($0.key)" }
      parts.append("\(heads.subtracting(try node.store.logs().map(\.head)).count) logs")
      return ", \(node.name) differs in \(parts.joined(separator: ", "))"
    }.joined()
  }

  private func author(_ certificate: CertificateHash) -> String {
    nodes.first { $0.credentials.certificate == certificate }?.name ?? "root"
  }

  private func authorsWaitedFor(by node: SimulatedNode) throws -> String {
    let names = try node.store.waiting(limit: .max).map { author($0.opening.certificate) }
    return Dictionary(grouping: names) { $0 }.sorted { $0.key < $1.key }
      .map { "\($0.value.count) of \($0.key)" }.joined(separator: ", ")
  }
}
