internal import MusterCrypto
internal import MusterModel
public import MusterNode
internal import MusterSync

extension Archive {
  /// Writes everything that is archived of the home's operation as a bundle, which any device of it
  /// can merge: the way back from the archive, for instance to a replaced laptop.
  ///
  /// - Parameters:
  ///   - home: of a device of the operation, for its keys.
  ///   - seed: 32 bytes from the operating system, used nowhere else.
  /// - Returns: the number of frames. Throws `ArchiveFault`, or what `write` throws.
  public func export(
    keysOf home: NodeHome, passphrase: [UInt8]?, seed: [UInt8], write: ([UInt8]) throws -> Void
  ) throws -> Int {
    let local = try ArchivePost.local(of: home, passphrase: passphrase)
    return try export(ExportSelection(), of: local, seed: seed, write: write).frames
  }

  /// - Returns: the number of frames, and the logs of which some were requested and included.
  func export(
    _ selection: ExportSelection, of local: LocalDevice, seed: [UInt8],
    write: ([UInt8]) throws -> Void
  ) throws -> (frames: Int, logs: Set<LogID>) {
    guard
      try !database.run(
        "SELECT 1 FROM operations WHERE id = $1", [.bytes(local.operation.bytes)]
      ).isEmpty
    else {
      throw ArchiveFault(
        "the archive has nothing of \"\(local.operationName)\": import a bundle or follow a node "
          + "of it first")
    }
    var random = DeterministicRandom(seed: seed)
    let form = BundleForm(of: local, salt: random.bytes16())
    var (number, frames): (UInt64, Int) = (0, 0)
    var logs: Set<LogID> = []
    var room = selection.mostFrames
    func send(_ item: BundleItem) throws {
      // Who can write to the database may have put in what no bundle can contain.
      guard let piece = form.sealedIfItFits(item, number: number, nonce: random.nonce24()) else {
        return
      }
      try write(piece)
      number += 1
      if case .frames(let run) = item { frames += run.count }
    }
    // One snapshot, whatever posts store meanwhile.
    try database.transaction {
      try database.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
      try write(form.header)
      guard selection.hasFrames else {
        try eachUnit(of: local.operation, selection.units) { try send(.unit($0)) }
        return try send(.end)
      }
      let certificates = try verifier(of: local.operation, rootKey: local.rootKey).certificates
      for signed in certificates.ordered {
        try send(.chain(certificates.chain(of: signed.hash)))
      }
      for item in try evidence(of: local.operation) { try send(.evidence(item)) }
      let heads = try heads(of: local.operation)
      for (log, _) in try self.logs(of: local.operation, by: certificates) {
        guard let branches = heads[log], let part = Self.part(of: log, branches, selection, room)
        else { continue }
        logs.insert(log)
        room -= min(room, part.upperBound - part.lowerBound + 1)
        try eachRun(of: log, part, isForked: !branches.forks.isEmpty, in: local.operation) {
          try send(.frames($0))
        }
      }
      for keys in try keys(of: local.operation) { try send(.keys(keys)) }
      try eachUnit(of: local.operation, selection.units) { try send(.unit($0)) }
      try send(.end)
    }
    return (frames, logs)
  }

  /// Returns which frames of a log are included; nil for none.
  ///
  /// - Parameter room: how many more frames are included.
  private static func part(
    of log: LogID, _ heads: BranchHeads, _ selection: ExportSelection, _ room: UInt64
  ) -> ClosedRange<UInt64>? {
    guard room > 0, let newest = heads.tips.values.max() else { return nil }
    guard let starts = selection.starts else { return 0...newest }
    guard let first = starts[log], first <= newest else { return nil }
    let isWhole = !heads.forks.isEmpty || selection.whole.contains(log)
    return first...(isWhole || newest - first < room ? newest : first + room - 1)
  }

  /// Returns the logs in the order of a bundle: control logs from the root outwards, then by lane.
  private func logs(
    of operation: OperationID, by certificates: KnownCertificates
  ) throws -> [(log: LogID, place: (Int64, Int))] {
    try database.run(
      "SELECT log, certificate, lane FROM logs WHERE operation = $1 ORDER BY log",
      [.bytes(operation.bytes)]
    ).map { row in
      guard let log = LogID(bytes: row.bytes(0)), let hash = CertificateHash(bytes: row.bytes(1))
      else { throw Self.damaged }
      return (log, (row.integer(2), certificates.rank(of: hash) ?? .max))
    }.sorted { $0.place < $1.place }
  }

  /// - Parameter part: from 0 for a log that has forked. Of another one, the frames after its last
  ///   signature are not passed on.
  private func eachRun(
    of log: LogID, _ part: ClosedRange<UInt64>, isForked: Bool, in operation: OperationID,
    _ body: ([Frame]) throws -> Void
  ) throws {
    var all: [Frame] = []
    var runs = ArchivedLog()
    var next = part.lowerBound
    while next <= part.upperBound {
      let end = min(part.upperBound, next + Self.page - 1)
      let frames = try frames(of: log, next...end, in: operation)
      guard let last = frames.last else { break }
      next = last.sequence + 1
      if isForked {
        all += frames
      } else {
        for frame in frames { if let run = runs.add(frame) { try body(run) } }
      }
    }
    if let run = runs.takeRun() { try body(run) }
    for run in ArchivedLog.runs(ofTree: all) { try body(run) }
  }

  private static let page: UInt64 = 2048

  /// Returns all frames of some sequences, branches included.
  private func frames(
    of log: LogID, _ part: ClosedRange<UInt64>, in operation: OperationID
  ) throws -> [Frame] {
    try database.run(
      """
      SELECT sequence, hash, previous, epoch, blob_list, body, signature FROM frames
      WHERE operation = $1 AND log = $2 AND sequence BETWEEN $3::bigint AND $4::bigint
      ORDER BY sequence, hash
      """,
      [
        .bytes(operation.bytes), .bytes(log.bytes), .unsigned(part.lowerBound),
        .unsigned(part.upperBound),
      ]
    ).filter {
      // Who can write to the database may have put in frames of any size.
      $0.bytes(5).count <= Limits.frameBodyBytes
    }.map { row in
      guard let hash = FrameHash(bytes: row.bytes(1)), let previous = FrameHash(bytes: row.bytes(2))
      else { throw Self.damaged }
      var frame = Frame(
        log: log, sequence: row.unsigned(0), previous: previous,
        epoch: row.columns[3].flatMap { EpochID(bytes: $0) }, body: row.bytes(5), hash: hash,
        signature: row.columns[6])
      if let list = row.columns[4] { frame.blobs = try BlobListing.decode(list) }
      return frame
    }
  }

  private func evidence(of operation: OperationID) throws -> [EvidenceItem] {
    try database.run(
      "SELECT kind, content FROM evidence WHERE operation = $1 ORDER BY id",
      [.bytes(operation.bytes)]
    ).map { row in
      guard let kind = EvidenceKind(rawValue: UInt8(clamping: row.integer(0))) else {
        throw Self.damaged
      }
      return try EvidenceItem(kind: kind, content: row.bytes(1), operation: operation)
    }
  }

  private func keys(of operation: OperationID) throws -> [[BundledKey]] {
    let keys = try database.run(
      "SELECT epoch, device, box FROM keys WHERE operation = $1 ORDER BY epoch, device, post",
      [.bytes(operation.bytes)]
    ).map { row in
      guard let epoch = EpochID(bytes: row.bytes(0)), let device = DeviceID(bytes: row.bytes(1))
      else { throw Self.damaged }
      return BundledKey(epoch: epoch, device: device, box: row.bytes(2))
    }
    return stride(from: 0, to: keys.count, by: BundleForm.keysPerPiece).map {
      Array(keys[$0..<min($0 + BundleForm.keysPerPiece, keys.count)])
    }
  }
}
