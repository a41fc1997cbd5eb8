internal import MusterModel
internal import MusterSync

/// Archives the contents of a bundle, piece by piece: a file, or what a node answers.
///
/// Frames, certificates, membership evidence and sealed epoch keys are archived. Newest records
/// (positions, receipts) and photos are not.
struct BundleArchiver {
  private let archive: Archive
  private let local: LocalDevice
  private let post: DeviceID
  private var verifier: FrameVerifier
  private var batch = ArchiveBatch()
  /// The bytes that are not parsed yet, and where they are in the bundle.
  private var rest: [UInt8] = []
  private var position: [UInt8] = []
  private var isAtEnd = false
  private var keyCount = 0
  private var pending: Archive.Pending?
  private(set) var tally = BundleTally()

  /// As many as a node writes.
  private static let keysPerBundle = 4096

  /// - Parameters:
  ///   - local: a device of the operation, whose network key opens the bundle.
  ///   - post: whose data it is, for the status of the archive.
  init(into archive: Archive, of local: LocalDevice, post: DeviceID) throws {
    self.archive = archive
    self.local = local
    self.post = post
    verifier = try archive.verifier(of: local.operation, rootKey: local.rootKey)
  }

  /// Takes the next bytes, and stores what is complete in parts of some megabytes. On return the
  /// archive is not locked, however long the next bytes take.
  mutating func take(_ bytes: [UInt8]) throws {
    guard !isAtEnd else { return }
    try parse(bytes)
    try settle()
  }

  private mutating func parse(_ bytes: [UInt8]) throws {
    rest += bytes
    guard var reader = BundleReader(rest, at: position, of: local) else { throw Archive.damaged }
    do {
      while let piece = try reader.next() {
        switch piece {
        case .contents(let items): for item in items { try take(item) }
        case .damaged: tally.damagedPieces += 1
        case .unreadable: tally.unreadablePieces += 1
        case .end:
          isAtEnd = true
          return
        }
        if batch.isFull { try store() }
      }
    } catch let fault as BundleReader.Fault {
      // What came before is complete.
      try store()
      try settle()
      throw ArchiveFault(fault, in: local.operationName)
    }
    rest.removeFirst(reader.consumed)
    position = reader.position
  }

  /// Stores the rest. A bundle without its end mark keeps what was complete.
  ///
  /// - Returns: whether the bundle was complete.
  mutating func finish() throws -> Bool {
    try store()
    try settle()
    return isAtEnd
  }

  private mutating func take(_ item: BundleItem) throws {
    switch item {
    case .frames(let frames): try take(frames)
    case .chain(let chain): for signed in chain.reversed() { verifier.add(signed) }
    case .evidence(let evidence):
      guard evidence.holds(operation: local.operation, rootKey: local.rootKey) else {
        tally.unreadablePieces += 1
        return
      }
      batch.add(evidence)
    case .keys(let keys):
      let room = max(0, Self.keysPerBundle - keyCount)
      keyCount += keys.count
      batch.add(keys.prefix(room))
    case .records, .unit, .end: break
    }
  }

  private mutating func take(_ frames: [Frame]) throws {
    guard let last = frames.last else { return }
    batch.count(offered: frames.count)
    let (archive, operation) = (archive, local.operation)
    do {
      if !verifier.isNext(frames[0]) {
        try settle()
        if try archive.holds(last.hash, at: last.sequence, of: last.log, in: operation) {
          tally.frames.known += frames.count
          return
        }
      }
      // What is not stored yet must be asked for too.
      let pending = batch.runs
      let run = try verifier.verify(frames) { first in
        let previous = first.sequence - 1
        return try pending.contains { run in
          run.log == first.log && run.frames.contains { $0.hash == first.previous }
        } || archive.holds(first.previous, at: previous, of: first.log, in: operation)
      }
      batch.add(run, of: operation)
    } catch let refusal as BundleRefusal {
      batch.count(refused: frames.count)
      tally.frames.refuse(refusal, frames.count)
    }
  }

  /// Hands the batch to the server, which merges it while the next one is verified.
  private mutating func store() throws {
    batch.add(verifier.takeNewCertificates())
    guard !batch.isEmpty else { return }
    try settle()
    try archive.register(local)
    pending = try archive.begin(batch, from: post, in: local.operation)
    tally.frames.known += batch.runs.reduce(0) { $0 + $1.frames.count }
    batch = ArchiveBatch()
  }

  /// Waits until what was handed over is committed.
  private mutating func settle() throws {
    guard let begun = pending else { return }
    pending = nil
    let stored = try archive.finish(begun)
    tally.frames.new += stored
    tally.frames.known -= stored
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
