internal import MusterModel
internal import MusterSync

/// Archives the contents of a bundle, piece by piece: a file, or what a node answers.
///
///     bytes ─▶ pieces ─▶ group of some MiB ─▶ what is not archived ─▶ FrameVerifier ─▶ batch
///                                                        StoringBatch, on its own thread ◀──┘
///
/// - While one batch is stored, the next group is read and verified. No more than one batch waits.
/// - Posts with frames that are not archived take turns (`ArchivingTurn`). A post whose turn it is
///   verifies groups without any question to the server while each run follows the one before.
///   Otherwise one question for the whole group finds what is archived, and that is not verified.
///
/// Frames, certificates, membership evidence, sealed epoch keys and the ciphertext of photos are
/// archived. Newest records (positions, receipts) are not.
struct BundleArchiver {
  private let archive: Archive
  private let local: LocalDevice
  private var verifier: FrameVerifier
  private var batch = ArchiveBatch()
  /// The bytes that are not parsed yet, and where they are in the bundle.
  private var rest: [UInt8] = []
  private var position: [UInt8] = []
  private var isAtEnd = false
  private var keyCount = 0
  private var storing: StoringBatch?
  private let turn: ArchivingTurn
  /// Whether another post has stored frames of the last batch.
  private var isBehind = false
  private(set) var tally = BundleTally()

  /// As many as a node writes.
  private static let keysPerBundle = 4096
  /// The number of items that are verified together.
  private static let groupItems = 200

  /// - Parameter local: the device whose data it is. Its network key opens the bundle.
  init(into archive: Archive, of local: LocalDevice) throws {
    self.archive = archive
    self.local = local
    verifier = try archive.verifier(of: local.operation, rootKey: local.rootKey)
    turn = ArchivingTurn(of: local.operation, in: archive.database)
  }

  /// Takes the next bytes, and stores what is complete in parts of some megabytes. The last part
  /// may still be stored on return.
  mutating func take(_ bytes: [UInt8]) throws {
    guard !isAtEnd else { return }
    rest += bytes
    guard var reader = BundleReader(rest, at: position, of: local) else { throw Archive.damaged }
    var group: [BundleItem] = []
    do {
      while !isAtEnd, let piece = try reader.next() {
        switch piece {
        case .contents(let items): group += items
        case .damaged: tally.damagedPieces += 1
        case .unreadable: tally.unreadablePieces += 1
        case .end: isAtEnd = true
        }
        if group.count >= Self.groupItems {
          try take(group)
          group = []
        }
      }
      try take(group)
    } catch let fault as BundleReader.Fault {
      // What came before is complete.
      try take(group)
      _ = try finish()
      throw ArchiveFault(fault, in: local.operationName)
    }
    guard !isAtEnd else { return }
    rest.removeFirst(reader.consumed)
    position = reader.position
  }

  /// Stores the rest. A bundle without its end mark keeps what was complete.
  ///
  /// - Returns: whether the bundle was complete.
  mutating func finish() throws -> Bool {
    try endTurn()
    return isAtEnd
  }

  private mutating func endTurn() throws {
    try store()
    try settle()
    turn.end()
  }

  private mutating func take(_ group: [BundleItem]) throws {
    var held = try prepare(group)
    for (index, item) in group.enumerated() {
      switch item {
      case .frames(let frames):
        guard let first = frames.first else { break }
        if held == nil, !verifier.isNext(first) { held = try self.held(of: Array(group[index...])) }
        try take(frames, held: held ?? [])
      case .chain(let chain): for signed in chain.reversed() { verifier.add(signed) }
      case .evidence(let evidence):
        guard evidence.holds(operation: local.operation, rootKey: local.rootKey) else {
          tally.unreadablePieces += 1
          break
        }
        batch.add(evidence)
      case .keys(let keys):
        let room = max(0, Self.keysPerBundle - keyCount)
        keyCount += keys.count
        batch.add(keys.prefix(room))
      case .unit(let unit): take(unit)
      case .records, .end: break
      }
      if batch.isFull { try store() }
    }
  }

  /// Takes the turn if something of a group is not archived.
  ///
  /// - Returns: what is archived, as `held(of:)`; nil if that need not be known.
  private mutating func prepare(_ group: [BundleItem]) throws -> Set<FrameHash>? {
    if turn.isOver { try endTurn() }
    guard !turn.isHeld, !turn.isGivenUp else { return try isBehind ? held(of: group) : nil }
    let lasts = Self.runs(of: group).compactMap { $0.last?.hash }
    guard !lasts.isEmpty else { return nil }
    var held = try held(of: group)
    if !held.isSuperset(of: lasts) {
      if let patience = archive.lockPatience {
        try turn.begin(within: "\(patience.components.seconds)s")
      } else {
        try turn.begin()
      }
      // Another post may have archived it during its turn.
      held = try self.held(of: group)
      if held.isSuperset(of: lasts) { turn.end() }
    }
    return held
  }

  private static func runs(of group: [BundleItem]) -> [[Frame]] {
    group.compactMap { item in if case .frames(let run) = item { run } else { nil } }
  }

  /// Returns which runs of a group are archived, by their last frames, and which frames before the
  /// others.
  private mutating func held(of group: [BundleItem]) throws -> Set<FrameHash> {
    // The connection is free then.
    try settle()
    isBehind = false
    // All frames before an archived one are archived: the end of a chain speaks for it.
    let chains = RunChain.chains(of: Self.runs(of: group))
    let ends = try archive.archived(chains.map(\.end), in: local.operation)
    let (archived, others) = (
      chains.filter { ends.contains($0.end.hash) }, chains.filter { !ends.contains($0.end.hash) }
    )
    let names = try archive.archived(others.flatMap(\.names), in: local.operation)
    return names.union(archived.flatMap(\.lasts))
  }

  /// - Parameter held: archived frames of the group, if they were asked for.
  private mutating func take(_ frames: [Frame], held: Set<FrameHash>) throws {
    guard let first = frames.first, let last = frames.last else { return }
    batch.count(offered: frames.count)
    if held.contains(last.hash) {
      tally.frames.known += frames.count
      return try verifier.pass(frames)
    }
    do {
      let isAttached = try verifier.isNext(first) || isArchived(before: first, held: held)
      batch.add(try verifier.verify(frames, isArchived: isAttached))
    } catch let refusal as BundleRefusal {
      batch.count(refused: frames.count)
      tally.frames.refuse(refusal, frames.count)
    }
  }

  private mutating func take(_ unit: BlobUnit) {
    do {
      try verifier.verify(unit)
      batch.add(unit)
    } catch {
      tally.photoUnits.refuse(error as? BundleRefusal ?? .forged, 1)
    }
  }

  /// Whether the frame that another one follows is archived, or will be with this batch.
  private mutating func isArchived(before first: Frame, held: Set<FrameHash>) throws -> Bool {
    guard let name = FrameName(before: first) else { return false }
    if held.contains(name.hash) { return true }
    let isWaiting = batch.runs.contains { run in
      run.log == name.log && run.frames.contains { $0.hash == name.hash }
    }
    guard !isWaiting else { return true }
    // It may have been stored after the group was asked for.
    try settle()
    return try !archive.archived([name], in: local.operation).isEmpty
  }

  /// Hands the batch to the thread that stores, after the one before is stored.
  private mutating func store() throws {
    batch.add(verifier.takeNewCertificates())
    guard !batch.isEmpty else { return }
    try settle()
    try BatchWriter(archive: archive).register(local)
    storing = StoringBatch(batch, of: local, into: archive, turn: turn)
    batch = ArchiveBatch()
  }

  /// Waits until what was handed over is committed.
  private mutating func settle() throws {
    guard let batch = storing else { return }
    storing = nil
    let (new, all) = try batch.wait()
    tally.frames.new += new.frames
    tally.frames.known += all.frames - new.frames
    tally.photoUnits.new += new.units
    tally.photoUnits.known += all.units - new.units
    isBehind = new.frames < all.frames
  }
}

extension ArchiveFault {
  /// States why a bundle cannot be read.
  init(_ fault: BundleReader.Fault, in operationName: String) {
    switch fault {
    case .notABundle:
      self.init("this is not a bundle: create one with `muster bundle create`")
    case .newerVersion, .otherRules(.thisLaptop):
      self.init(
        "a newer version of muster made this bundle: update muster-archive, then import it again")
    case .otherRules(.peer):
      self.init(
        "an older version of muster made this bundle: update the device that made it, and create "
          + "it again there")
    case .damagedHeader: self.init("the beginning of the bundle is damaged: create it again")
    case .otherOperation:
      self.init(
        "the bundle is from another operation than \"\(operationName)\": give --home of a device "
          + "of that operation; nothing was stored")
    case .lost:
      self.init(
        "the bundle is damaged, and the rest of it cannot be read: the parts before it are "
          + "archived; create it again")
    }
  }
}
