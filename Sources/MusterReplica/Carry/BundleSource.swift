internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The contents of a bundle: everything that is held, section by section.
struct BundleSource {
  let context: ReadContext
  let engine: SyncEngine
  let keyring: Keyring
  /// Nil for everything.
  let selection: BundleSelection?

  /// The limit of keys in a bundle: one epoch for as many devices, or several for fewer.
  private static let keys = 4096

  /// Returns the contents at a position, which it advances.
  func contents(
    at cursor: inout BundleCursor, of stock: inout BundleContents, random: inout DeterministicRandom
  ) throws -> [BundleItem] {
    switch cursor.stage {
    case .chains:
      cursor.begin(.control)
      return chainsToCarry.map { .chain($0) }
        + context.control.membership.ordered.map { .evidence($0) }
    case .control, .urgent, .state, .history, .quarantine:
      guard let part = stock.part(at: cursor) else {
        cursor.begin(cursor.stage.next)
        return []
      }
      let frames = try frames(at: &cursor, of: part)
      return frames.isEmpty ? [] : [.frames(frames)]
    case .records where selection != nil:
      cursor.begin(.keys)
      return []
    case .keys where selection?.includesKeys == false:
      cursor.begin(.quarantine)
      return []
    case .records:
      let records = try stock.records(at: cursor, limit: BundleForm.recordsPerPiece) {
        () throws(StoreError) in try context.received.over(context.store.records())
      }
      guard let last = records.last else {
        cursor.begin(.keys)
        return []
      }
      cursor.move(
        to: BundlePosition(stage: .records, log: LogID(raw: last.topic.raw)), next: 1)
      return [.records(Array(records))]
    case .keys:
      cursor.begin(.quarantine)
      let keys = engine.keysToCarry(of: epochsToCarry, upTo: Self.keys, random: &random)
      return stride(from: 0, to: keys.count, by: BundleForm.keysPerPiece).map {
        .keys(Array(keys[$0..<min($0 + BundleForm.keysPerPiece, keys.count)]))
      }
    case .photos:
      let next = try stock.unit(at: &cursor) { () throws(StoreError) in
        guard let selection else { return try context.store.listedBlobs() }
        guard !selection.blobs.isEmpty else { return [] }
        let wanted = Set(selection.blobs)
        return try context.store.listedBlobs().filter { wanted.contains($0.id) }
      }
      guard let next else {
        cursor.begin(.end)
        return []
      }
      guard let unit = try context.store.unit(next.number, of: next.blob.listing),
        unit.isValid(for: next.blob.listing)
      else { return [] }
      return [.unit(unit)]
    case .end: return []
    }
  }

  /// Returns the next frames of a log that a signature proves; none at its end.
  private func frames(
    at cursor: inout BundleCursor, of part: BundlePart
  ) throws(StoreError) -> [Frame] {
    let interval = Limits.signatureInterval
    let next = cursor.place == part.place ? max(cursor.next, part.from) : part.from
    // The signature of the first interval proves the opening too.
    let boundary = max((next + interval - 1) / interval, 1) * interval
    let frames = try context.store.frames(
      log: part.place.log, from: next, maxBytes: .max, maxFrames: Int(boundary - next) + 1)
    // Frames after a cut-off come last, except those that prove the last valid frame.
    let isEnough = { (frame: Frame) in frame.signature != nil && frame.sequence >= part.through }
    guard
      let last = frames.firstIndex(where: isEnough)
        ?? frames.lastIndex(where: { $0.signature != nil })
    else {
      // The rest of a strand that has forked is proved by the strands that continue it.
      cursor.move(to: part.place, next: part.through + 1)
      return []
    }
    cursor.move(to: part.place, next: frames[last].sequence + 1)
    return Array(frames[...last])
  }

  // MARK: Contents

  /// Returns which part of each log belongs to which section.
  func parts() throws(StoreError) -> [BundlePart] {
    var parts: [BundlePart] = []
    for log in try context.store.logs() {
      let (first, head) = (BundlePart.start(of: log), log.head.sequence)
      var place = BundlePosition(
        stage: BundleStage(log.opening.lane),
        rank: context.control.rank(under: log.opening.certificate),
        first: log.first, log: log.head.log)
      guard let bound = context.control.bound(of: log) else {
        parts.append(BundlePart(place: place, from: first, through: head))
        continue
      }
      if let end = bound.end {
        parts.append(BundlePart(place: place, from: first, through: min(head, end)))
      }
      guard context.control.framesCut(of: log) > 0 else { continue }
      place.stage = .quarantine
      // From the frame where every node keeps a signature: the last valid frame need not have one.
      let interval = Limits.signatureInterval
      let from = bound.end.map { max(first, $0 / interval * interval + 1) } ?? first
      parts.append(BundlePart(place: place, from: from, through: head))
    }
    guard let selection else { return parts }
    let starts = Dictionary(
      selection.logs.map { ($0.log, $0.first) }, uniquingKeysWith: { min($0, $1) })
    return parts.compactMap { part in
      guard let first = starts[part.place.log], first <= part.through else { return nil }
      var rest = part
      rest.from = max(part.from, first)
      return rest
    }
  }

  /// The chains of this device, and of those that presented them in a handshake before a control
  /// log that is held here contained them.
  private var chainsToCarry: [[SignedCertificate]] {
    let own = context.local.chain.certificates
    return [own]
      + context.control.shownCertificates.compactMap { context.control.chain(of: $0) }.filter {
        $0 != own
      }
  }

  /// The announced epochs, the preferred one first, then the others.
  private var epochsToCarry: [EpochID] {
    let announced = context.control.epochs.ordered { _ in true }
    return announced + keyring.all.map(\.id).filter { context.control.epochs[$0] == nil }.sorted()
  }
}
