internal import MusterCrypto
internal import MusterModel

/// The membership evidence that is held, and items on their way from peers.
///
///     leaf that is not held ─▶ want(key, 0) ─▶ pieces ─▶ want(key, next) ─▶ … ─▶ whole item
///
/// - One item at a time is received from each peer, at most `Limits.evidenceInFlight` from all. An
///   item of which nothing new arrived for `patienceMilliseconds`, or that is not whole after
///   `longestMilliseconds`, gives way to another, and to the same one from another peer.
/// - Serving keeps no state: each request names the first byte that is missing.
struct EvidenceExchange: Sendable {
  private var items: [Bytes16: EvidenceItem] = [:]
  private var incoming: [DeviceID: Incoming] = [:]
  private var queues: [DeviceID: [Bytes16]] = [:]

  /// An item that is being received.
  private struct Incoming: Sendable {
    let key: Bytes16
    let began: Instant
    var arrived: Instant
    var pieces: [UInt32: EvidencePiece] = [:]

    init(key: Bytes16, now: Instant) { (self.key, began, arrived) = (key, now, now) }

    /// The first byte that is missing.
    var next: UInt32 {
      var next: UInt32 = 0
      while let piece = pieces[next] { next += UInt32(piece.part.count) }
      return next
    }

    var content: [UInt8] {
      pieces.sorted { $0.key < $1.key }.flatMap(\.value.part)
    }
  }

  /// The result of a piece.
  enum Receipt {
    /// It was not requested, or more of the window is to come.
    case nothing
    case want(EvidenceWant)
    /// The item is complete.
    case whole(kind: EvidenceKind, key: Bytes16, content: [UInt8])
  }

  private static let patienceMilliseconds: Int64 = 4000
  private static let longestMilliseconds: Int64 = 20_000
  private static let windowBytes = UInt32(
    Limits.evidencePieceBytes * Limits.evidencePiecesAtOnce)

  /// How many items are held.
  var count: Int { items.count }

  func contains(_ key: Bytes16) -> Bool { items[key] != nil }

  mutating func add(_ item: EvidenceItem) { items[item.id.raw.prefix] = item }

  mutating func remove(_ id: EvidenceID) { items[id.raw.prefix] = nil }

  /// Notes that a peer holds an item; returns what to request from it now.
  mutating func want(_ key: Bytes16, from device: DeviceID, now: Instant) -> EvidenceWant? {
    guard !contains(key) else { return nil }
    if let current = incoming[device] {
      let isStalled = now.milliseconds(since: current.arrived) >= Self.patienceMilliseconds
      guard isStalled else {
        queue(key, of: device)
        return nil
      }
      if current.key == key {
        incoming[device]?.arrived = now
        return EvidenceWant(key: key, offset: current.next)
      }
      incoming[device] = nil
    }
    return begin(key, from: device, now: now)
  }

  private mutating func queue(_ key: Bytes16, of device: DeviceID) {
    let queue = queues[device] ?? []
    guard incoming[device]?.key != key, !queue.contains(key),
      queue.count < Limits.evidenceQueued
    else { return }
    queues[device] = queue + [key]
  }

  private mutating func begin(
    _ key: Bytes16, from device: DeviceID, now: Instant
  ) -> EvidenceWant? {
    // Another peer is sending it.
    guard !incoming.values.contains(where: { $0.key == key && !isStalled($0, now: now) }) else {
      return nil
    }
    if incoming.count >= Limits.evidenceInFlight {
      let stalled = incoming.filter { isStalled($0.value, now: now) }.keys.min()
      guard let stalled else { return nil }
      incoming[stalled] = nil
    }
    incoming[device] = Incoming(key: key, now: now)
    return EvidenceWant(key: key, offset: 0)
  }

  private func isStalled(_ item: Incoming, now: Instant) -> Bool {
    now.milliseconds(since: item.arrived) >= Self.patienceMilliseconds
      || now.milliseconds(since: item.began) >= Self.longestMilliseconds
  }

  /// Takes a piece that a peer sent.
  mutating func take(_ piece: EvidencePiece, from device: DeviceID, now: Instant) -> Receipt {
    guard var item = incoming[device], item.key == piece.key, item.pieces[piece.offset] == nil,
      piece.offset % UInt32(Limits.evidencePieceBytes) == 0,
      item.pieces.values.allSatisfy({ $0.total == piece.total && $0.kind == piece.kind })
    else { return .nothing }
    item.pieces[piece.offset] = piece
    item.arrived = now
    incoming[device] = item
    let next = item.next
    if next == piece.total {
      incoming[device] = nil
      return .whole(kind: piece.kind, key: item.key, content: item.content)
    }
    guard next > 0, next % Self.windowBytes == 0 else { return .nothing }
    return .want(EvidenceWant(key: item.key, offset: next))
  }

  /// The next item to request from a peer that has delivered one.
  mutating func next(from device: DeviceID, now: Instant) -> EvidenceWant? {
    guard incoming[device] == nil, var queue = queues[device] else { return nil }
    defer { queues[device] = queue.isEmpty ? nil : queue }
    while !queue.isEmpty {
      let key = queue.removeFirst()
      guard !contains(key), let want = begin(key, from: device, now: now) else { continue }
      return want
    }
    return nil
  }

  /// The pieces that answer a request.
  func pieces(for want: EvidenceWant) -> [EvidencePiece] {
    guard let item = items[want.key], want.offset < item.content.count else { return [] }
    let size = Limits.evidencePieceBytes
    return stride(from: Int(want.offset), to: item.content.count, by: size)
      .prefix(Limits.evidencePiecesAtOnce).map { start in
        EvidencePiece(
          kind: item.kind, key: want.key, total: UInt32(item.content.count),
          offset: UInt32(start),
          part: Array(item.content[start..<min(start + size, item.content.count)]))
      }
  }

  /// Forgets what was requested from a peer whose last session ended.
  mutating func forget(_ device: DeviceID) {
    incoming[device] = nil
    queues[device] = nil
  }
}

/// Evidence is reconciled as a set of its own and ahead of data: what it proves decides what frames
/// count for.
extension EvidenceExchange {
  /// Changes what is held.
  mutating func change(
    adding added: [EvidenceItem], removing removed: [EvidenceID], context: inout Context
  ) {
    for id in removed {
      remove(id)
      context.logs.remove(evidence: id)
    }
    for item in added {
      add(item)
      context.logs.set(evidence: item.id)
    }
  }

  /// Requests an item that a peer holds, now or after those before it.
  ///
  /// - Parameter key: the first half of its name.
  mutating func request(_ key: Bytes16, from device: DeviceID, context: inout Context) {
    guard context.peers[device]?.sessions.isEmpty == false,
      let want = want(key, from: device, now: context.now)
    else { return }
    send(want, to: device, context: &context)
  }

  private mutating func send(_ want: EvidenceWant, to device: DeviceID, context: inout Context) {
    var packet = Packet()
    packet.evidenceWants = [want]
    context.outbox.add(packet, importance: .control, to: device)
  }

  mutating func serve(_ want: EvidenceWant, to device: DeviceID, context: inout Context) {
    for piece in pieces(for: want) {
      var packet = Packet()
      packet.evidence = [piece]
      context.outbox.add(packet, importance: .control, to: device)
    }
  }

  mutating func receive(
    _ piece: EvidencePiece, from device: DeviceID, endpoint: Endpoint, context: inout Context
  ) {
    switch take(piece, from: device, now: context.now) {
    case .nothing: return
    case .want(let want): send(want, to: device, context: &context)
    case .whole(let kind, let key, let content):
      do throws(WireError) {
        let item = try EvidenceItem(
          kind: kind, content: content, operation: context.local.operation)
        guard item.id.raw.prefix == key else { throw .forged("evidence") }
        accept(item, from: device, endpoint: endpoint, context: &context)
      } catch {
        context.reject(error, from: endpoint)
      }
      if let want = next(from: device, now: context.now) {
        send(want, to: device, context: &context)
      }
    }
  }

  /// Accepts an item of a bundle.
  mutating func receive(carried item: EvidenceItem, context: inout Context) {
    guard item.holds(operation: context.local.operation, rootKey: context.local.rootKey) else {
      return context.effects.append(.notice(.carried(.refusedChain)))
    }
    context.effects.append(.store(.evidence(item)))
  }

  /// Passes an item on whose signatures hold. The peer pays for each: an item that holds may never
  /// be kept, or may replace another one.
  private mutating func accept(
    _ item: EvidenceItem, from device: DeviceID, endpoint: Endpoint, context: inout Context
  ) {
    let cost = SignatureCost.milliseconds * Int64(item.signatureCount)
    guard context.peers[known: device].budget.evidenceSignatures.take(cost, now: context.now) else {
      return context.reject(.throttled, from: endpoint)
    }
    guard item.holds(operation: context.local.operation, rootKey: context.local.rootKey) else {
      return context.reject(.forged, from: endpoint)
    }
    context.effects.append(.store(.evidence(item)))
  }
}
