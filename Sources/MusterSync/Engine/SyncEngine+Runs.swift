internal import MusterCrypto
internal import MusterModel

/// Receipt of frames: order them, verify chain and signature, store, relay.
extension SyncEngine {
  mutating func receive(_ run: Run, from device: DeviceID, by arrival: Arrival) {
    let endpoint = arrival.endpoint
    if run.origin != nil { guard begin(run, from: device) else { return } }
    let next = next(of: run.log)
    let last = run.first + UInt64(run.frames.count) - 1
    remember(run.log, through: last, of: device)
    guard last >= next else { return }
    guard isWelcome(run.log, from: device) else {
      // It keeps offering frames that did not follow: a search may have been lost.
      if context.peers[device]?.refused.contains(run.log) == true {
        _ = searchFork(of: run.log, with: device)
      }
      return
    }
    if let held = context.logs[run.log], run.first == next, let previous = run.previous,
      previous != held.head.hash
    {
      if !searchFork(of: run.log, with: device) { context.reject(.forged, from: endpoint) }
      return
    }
    if let begun = context.logs.strands[run.log], begun.device != device { return }
    guard mayOpen(run, from: device, endpoint: endpoint) else { return }
    buffer(run, from: next, of: device)
    let before = context.logs[run.log]?.head
    var fresh: [Frame] = []
    while let source = provableSource(of: run.log) {
      guard drain(run.log, from: source, into: &fresh, by: arrival) else { break }
    }
    if let opening = context.logs[run.log]?.opening,
      fresh.last.map({ !context.logs.isQuarantined(run.log, $0.sequence) }) ?? false
    {
      forward(
        fresh, opening: opening, after: before, from: device, by: arrival.covering(run.covered))
    }
    if last > self.next(of: run.log) { enqueue(run.log, from: device) }
  }

  /// Returns whether a run may be buffered. False if it opens a log that cannot be stored in any
  /// case.
  private mutating func mayOpen(
    _ run: Run, from device: DeviceID, endpoint: Endpoint
  ) -> Bool {
    guard run.first == 0, context.logs[run.log] == nil, context.logs.strands[run.log] == nil,
      let first = run.frames.first
    else { return true }
    var frame = Frame(
      log: run.log, sequence: 0, previous: .none, epoch: first.epoch, body: first.body,
      hash: .none, signature: first.signature)
    frame.hash = frame.computedHash(operation: context.local.operation)
    do throws(WireError) {
      let opening = try opening(of: frame)
      guard
        context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey) != nil
      else {
        wait(forAuthorOf: run.log, opening: opening, from: device, endpoint: endpoint)
        return false
      }
      guard hasRoomForLog(run.log, of: opening) else {
        context.bounds.note(.logs, of: opening.certificate)
        throw .overLimit("logs")
      }
      return true
    } catch {
      refuse(run.log, from: device)
      context.reject(error, from: endpoint)
      return false
    }
  }

  /// Postpones a log whose author's certificate is unknown: the certificate is requested, and the
  /// log once it arrives.
  private mutating func wait(
    forAuthorOf log: LogID, opening: Opening, from device: DeviceID, endpoint: Endpoint
  ) {
    context.logs.strands.noteUnverifiable(log)
    wantCertificate(opening.certificate, from: device)
    abandonPull(of: log)
    context.reject(.unknownAuthor, from: endpoint)
  }

  /// Returns whether frames of a log are accepted from a peer: not while they cannot be verified,
  /// and not after invalid ones.
  func isWelcome(_ log: LogID, from device: DeviceID) -> Bool {
    !context.logs.strands.isUnverifiable(log)
      && context.peers[device]?.refused.contains(log) == false
  }

  /// Unrequested frames are buffered if they are this close to the stored head.
  private static let pushedAhead: UInt64 = 64

  private mutating func buffer(_ run: Run, from next: UInt64, of device: DeviceID) {
    var fresh: [UInt64] = []
    var bytes = 0
    let range = run.first...run.first + UInt64(run.frames.count) - 1
    let asked = pulls[run.log]?.asked(range, of: device) ?? []
    for (sequence, frame) in zip(run.first..., run.frames) where sequence >= next {
      guard
        sequence - next < Self.pushedAhead || asked.contains(where: { $0.contains(sequence) })
      else { continue }
      guard reassembly.put(frame, at: sequence, of: run.log, from: device) else { continue }
      fresh.append(sequence)
      bytes += frame.body.count
    }
    if !fresh.isEmpty { noteArrival(fresh, bytes: bytes, of: run.log, from: device) }
  }

  /// Returns a peer whose next frames reach a signature. A log is stored from its second frame on:
  /// an opening alone carries no data, and would take a place in every table.
  private func provableSource(of log: LogID) -> (device: DeviceID, through: UInt64)? {
    let first = next(of: log)
    let boundary = max(
      1, (first + Limits.signatureInterval - 1) / Limits.signatureInterval)
    for device in reassembly.sources(of: log) {
      let frames = reassembly.frames(of: log, from: device)
      var signed: UInt64?
      for sequence in first...boundary * Limits.signatureInterval {
        guard let frame = frames[sequence] else { break }
        // A missing mandatory signature is found by the check below.
        let isBoundary = sequence % Limits.signatureInterval == 0
        if sequence > 0, frame.signature != nil || isBoundary { signed = sequence }
      }
      if let signed { return (device, signed) }
    }
    return nil
  }

  /// Accepts the frames that follow the stored head, up to a signed one. Returns false if they are
  /// invalid or cannot be verified.
  private mutating func drain(
    _ log: LogID, from source: (device: DeviceID, through: UInt64), into fresh: inout [Frame],
    by arrival: Arrival
  ) -> Bool {
    let endpoint = arrival.endpoint
    let held = context.logs[log]
    let begun = context.logs.strands[log]
    let known = held ?? begun.flatMap { context.logs[$0.log] }
    var frames = chain(
      of: known?.log ?? log, strand: log, after: held?.head ?? begun?.before,
      through: source.through, from: source.device)
    do throws(WireError) {
      let opening = if let known { known.opening } else { try opening(of: frames[0]) }
      guard
        let key = context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey)
      else {
        wait(forAuthorOf: log, opening: opening, from: source.device, endpoint: endpoint)
        return false
      }
      guard known != nil || hasRoomForLog(log, of: opening) else {
        context.bounds.note(.logs, of: opening.certificate)
        throw .overLimit("logs")
      }
      guard maySpendSignature(source.device) else {
        context.logs.strands.end(log)
        reassembly.remove(of: log, from: source.device)
        context.reject(.throttled, from: endpoint)
        return false
      }
      try verify(&frames, signedBy: key)
      payBackSignature(source.device)
      if begun != nil || held?.isParted == true {
        attach(frames, named: log, opening: opening, from: source.device)
        return false
      }
      guard mayQuarantine(frames, opening: opening) else {
        context.bounds.note(.quarantine, of: opening.certificate)
        throw .overLimit("quarantine")
      }
      hold(frames, opening: opening, from: source.device, on: arrival.session)
      fresh += frames
      return true
    } catch {
      refuse(log, from: source.device)
      // The peer may hold another branch, whose frames do not follow the stored ones.
      if held == nil || !searchFork(of: log, with: source.device) {
        context.reject(error, from: endpoint)
      }
      return true
    }
  }

  /// Stops requesting a log from a peer whose frames do not follow the stored ones; others are
  /// asked.
  mutating func refuse(_ log: LogID, from device: DeviceID) {
    if (context.peers[device]?.refused.count ?? 0) < Limits.knownHeads {
      context.peers[device]?.refused.insert(log)
    }
    reassembly.remove(of: log, from: device)
    giveBack(log, of: device)
  }

  /// Returns the frames after the stored head, with the hashes computed from their contents.
  private func chain(
    of log: LogID, strand: LogID, after head: Head?, through last: UInt64, from device: DeviceID
  ) -> [Frame] {
    let waiting = reassembly.frames(of: strand, from: device)
    var frames: [Frame] = []
    var previous = head?.hash ?? .none
    for sequence in (head.map { $0.sequence + 1 } ?? 0)...last {
      guard let next = waiting[sequence] else { break }
      var frame = Frame(
        log: log, sequence: sequence, previous: previous, epoch: next.epoch, body: next.body,
        hash: .none, signature: next.signature)
      frame.hash = frame.computedHash(operation: context.local.operation)
      if strand != log { frame.branch = strand }
      #if Canary
        if Canary.acceptUnsigned.isPlanted, frame.signature == nil { frame.signature = [] }
      #endif
      previous = frame.hash
      frames.append(frame)
    }
    return frames
  }

  /// Parses an opening, whose contents must hash to the log's id.
  func opening(of frame: Frame) throws(WireError) -> Opening {
    guard frame.sequence == 0, frame.epoch == nil else { throw .forged("opening") }
    let opening = try Opening(decoding: frame.body)
    let log = LogID(operation: context.local.operation, opening: opening)
    guard log == frame.log, opening.certificate != .root || opening.lane == .control else {
      throw .forged("opening")
    }
    return opening
  }

  /// Verifies a run by the hash chain and the signature of its last frame. Signatures at the
  /// intervals are stored for later receivers, so they must be present and valid too; others are
  /// discarded.
  func verify(_ frames: inout [Frame], signedBy key: VerifyingKey) throws(WireError) {
    #if Canary
      if Canary.skipSignature.isPlanted { return }
    #endif
    let last = frames.count - 1
    for index in frames.indices {
      #if Canary
        if Canary.acceptUnsigned.isPlanted, frames[index].signature == [] { continue }
      #endif
      if index == last || frames[index].sequence % Limits.signatureInterval == 0 {
        guard frames[index].isSigned(by: key, sharing: context.local.findings) else {
          throw .forged("signature")
        }
      } else {
        frames[index].signature = nil
      }
    }
    #if Canary
      if Canary.forgetSignature.isPlanted { frames[last].signature = nil }
    #endif
  }

  /// - Parameter session: the session on which they arrived; nil for frames of a bundle.
  mutating func hold(
    _ frames: [Frame], opening: Opening, from device: DeviceID, on session: UInt32?
  ) {
    guard let last = frames.last else { return }
    let log = last.strand
    heardOf[opening.certificate] = context.now
    let head = Head(log: log, sequence: last.sequence, hash: last.hash)
    settleConfirmations(of: log)
    context.effects.append(.store(.frames(opening, frames)))
    noteGrowth(of: log, through: last.sequence)
    reassembly.remove(of: log, before: last.sequence + 1)
    let summary = LogSummary(opening: opening, head: head, base: context.logs[log]?.base)
    set(summary, counted: counted(summary, with: frames))
    context.logs.noteRun(frames)
    confirm(LeafHint(head), isExact: false, by: device)
    if context.logs[log]?.first == frames[0].sequence { adoptOrphans() }
    tellItsCopies(of: opening.certificate, from: session)
  }
}
