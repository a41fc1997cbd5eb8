internal import MusterCrypto
internal import MusterModel

/// Receipt of frames, from peers, bundles and this device: orders them, verifies chain and
/// signature, and stores them. Requests what is missing.
///
/// Invariant: frames are in the reassembly buffer only after the stored head of their log.
struct FrameReceiver: Sendable {
  var pulls = PullScheduler()
  private var accepted: [AcceptedAuthor] = []

  /// The frames by which a log grew.
  struct Growth {
    let frames: [Frame]
    let opening: Opening
    /// The head before them.
    let before: Head?
  }

  /// The author of accepted frames.
  struct AcceptedAuthor: Sendable {
    let certificate: CertificateHash
    /// The session on which they arrived; nil for a bundle.
    let session: UInt32?
  }

  /// Removes and returns the authors of accepted frames, in order.
  mutating func takeAccepted() -> [AcceptedAuthor] {
    defer { accepted = [] }
    return accepted
  }

  /// Stores what a run makes provable.
  ///
  /// - Returns: what the log grew by, to be forwarded; nil if nothing is.
  mutating func receive(
    _ run: Run, from device: DeviceID, by arrival: Arrival, context: inout Context
  ) -> Growth? {
    let endpoint = arrival.endpoint
    if run.origin != nil { guard begin(run, from: device, context: &context) else { return nil } }
    let next = context.logs.next(of: run.log)
    let last = run.first + UInt64(run.frames.count) - 1
    context.remember(run.log, through: last, of: device)
    guard last >= next else { return nil }
    guard context.isWelcome(run.log, from: device) else {
      // It keeps offering frames that did not follow: a search may have been lost.
      if context.peers[known: device].branches.refused.contains(run.log) {
        _ = searchFork(of: run.log, with: device, context: &context)
      }
      return nil
    }
    if let held = context.logs[run.log], run.first == next, let previous = run.previous,
      previous != held.head.hash
    {
      if !searchFork(of: run.log, with: device, context: &context) {
        context.reject(.forged, from: endpoint)
      }
      return nil
    }
    if let begun = context.logs.strands[run.log], begun.device != device { return nil }
    guard mayOpen(run, from: device, endpoint: endpoint, context: &context) else { return nil }
    buffer(run, from: next, of: device, context: &context)
    let before = context.logs[run.log]?.head
    var fresh: [Frame] = []
    while let source = provableSource(of: run.log, context: &context) {
      guard drain(run.log, from: source, into: &fresh, by: arrival, context: &context) else {
        break
      }
    }
    if last > context.logs.next(of: run.log) {
      pulls.enqueue(run.log, from: device, context: &context)
    }
    guard let opening = context.logs[run.log]?.opening, let newest = fresh.last,
      !context.logs.isQuarantined(run.log, newest.sequence)
    else { return nil }
    return Growth(frames: fresh, opening: opening, before: before)
  }

  /// Returns whether a run may be buffered. False if it opens a log that cannot be stored in any
  /// case.
  private mutating func mayOpen(
    _ run: Run, from device: DeviceID, endpoint: Endpoint, context: inout Context
  ) -> Bool {
    guard run.first == 0, context.logs[run.log] == nil, context.logs.strands[run.log] == nil,
      let first = run.frames.first
    else { return true }
    var frame = Frame(
      log: run.log, sequence: 0, previous: .none, epoch: first.epoch, body: first.body,
      hash: .none, signature: first.signature)
    frame.blobs = first.blobs
    frame.hash = frame.computedHash(operation: context.local.operation)
    do throws(WireError) {
      let opening = try context.local.opening(of: frame)
      guard
        context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey) != nil
      else {
        wait(
          forAuthorOf: run.log, opening: opening, from: device, endpoint: endpoint,
          context: &context)
        return false
      }
      guard context.logs.hasRoomForLog(run.log, of: opening, by: context.roster) else {
        context.bounds.note(.logs, of: opening.certificate)
        throw .overLimit("logs")
      }
      return true
    } catch {
      refuse(run.log, from: device, context: &context)
      context.reject(error, from: endpoint)
      return false
    }
  }

  /// Postpones a log whose author's certificate is unknown: the certificate is requested, and the
  /// log once it arrives.
  private mutating func wait(
    forAuthorOf log: LogID, opening: Opening, from device: DeviceID, endpoint: Endpoint,
    context: inout Context
  ) {
    context.logs.strands.noteUnverifiable(log)
    context.wantCertificate(opening.certificate, from: device)
    pulls.abandonPull(of: log, context: &context)
    context.reject(.unknownAuthor, from: endpoint)
  }

  /// Unrequested frames are buffered if they are this close to the stored head.
  private static let pushedAhead: UInt64 = 64

  private mutating func buffer(
    _ run: Run, from next: UInt64, of device: DeviceID, context: inout Context
  ) {
    var fresh: [UInt64] = []
    var bytes = 0
    let range = run.first...run.first + UInt64(run.frames.count) - 1
    let asked = pulls[run.log]?.asked(range, of: device) ?? []
    for (sequence, frame) in zip(run.first..., run.frames) where sequence >= next {
      guard
        sequence - next < Self.pushedAhead || asked.contains(where: { $0.contains(sequence) })
      else { continue }
      guard pulls.reassembly.put(frame, at: sequence, of: run.log, from: device) else { continue }
      fresh.append(sequence)
      bytes += frame.body.count
    }
    if !fresh.isEmpty {
      pulls.noteArrival(fresh, bytes: bytes, of: run.log, from: device, context: &context)
    }
  }

  /// Returns a peer whose next frames reach a signature. A log is stored from its second frame on:
  /// an opening alone carries no data, and would take a place in every table.
  private func provableSource(of log: LogID, context: inout Context) -> (
    device: DeviceID, through: UInt64
  )? {
    let first = context.logs.next(of: log)
    let boundary = max(
      1, (first + Limits.signatureInterval - 1) / Limits.signatureInterval)
    for device in pulls.reassembly.sources(of: log) {
      let frames = pulls.reassembly.frames(of: log, from: device)
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
    by arrival: Arrival, context: inout Context
  ) -> Bool {
    let endpoint = arrival.endpoint
    let held = context.logs[log]
    let begun = context.logs.strands[log]
    let known = held ?? begun.flatMap { context.logs[$0.log] }
    var frames = chain(
      of: known?.log ?? log, strand: log, after: held?.head ?? begun?.before,
      through: source.through, from: source.device, context: &context)
    do throws(WireError) {
      let opening = if let known { known.opening } else { try context.local.opening(of: frames[0]) }
      guard
        let key = context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey)
      else {
        wait(
          forAuthorOf: log, opening: opening, from: source.device, endpoint: endpoint,
          context: &context)
        return false
      }
      guard known != nil || context.logs.hasRoomForLog(log, of: opening, by: context.roster) else {
        context.bounds.note(.logs, of: opening.certificate)
        throw .overLimit("logs")
      }
      guard context.maySpendSignature(source.device) else {
        context.logs.strands.end(log)
        pulls.reassembly.remove(of: log, from: source.device)
        context.reject(.throttled, from: endpoint)
        return false
      }
      try context.local.verify(&frames, signedBy: key)
      context.payBackSignature(source.device)
      if begun != nil || held?.isParted == true {
        attach(frames, named: log, opening: opening, from: source.device, context: &context)
        return false
      }
      guard context.logs.mayQuarantine(frames, opening: opening, by: context.roster) else {
        context.bounds.note(.quarantine, of: opening.certificate)
        throw .overLimit("quarantine")
      }
      hold(frames, opening: opening, from: source.device, on: arrival.session, context: &context)
      fresh += frames
      return true
    } catch {
      refuse(log, from: source.device, context: &context)
      // The peer may hold another branch, whose frames do not follow the stored ones.
      if held == nil || !searchFork(of: log, with: source.device, context: &context) {
        context.reject(error, from: endpoint)
      }
      return true
    }
  }

  /// Stops requesting a log from a peer whose frames do not follow the stored ones; others are
  /// asked.
  private mutating func refuse(_ log: LogID, from device: DeviceID, context: inout Context) {
    // A device that sent frames without a session may have made room for others since.
    if context.peers[device] != nil,
      context.peers[known: device].branches.refused.count < Limits.knownHeads
    {
      context.peers[known: device].branches.refused.insert(log)
    }
    pulls.reassembly.remove(of: log, from: device)
    pulls.giveBack(log, of: device, context: &context)
  }

  /// Returns the frames after the stored head, with the hashes computed from their contents.
  private func chain(
    of log: LogID, strand: LogID, after head: Head?, through last: UInt64, from device: DeviceID,
    context: inout Context
  ) -> [Frame] {
    let waiting = pulls.reassembly.frames(of: strand, from: device)
    var frames: [Frame] = []
    var previous = head?.hash ?? .none
    for sequence in (head.map { $0.sequence + 1 } ?? 0)...last {
      guard let next = waiting[sequence] else { break }
      var frame = Frame(
        log: log, sequence: sequence, previous: previous, epoch: next.epoch, body: next.body,
        hash: .none, signature: next.signature)
      frame.blobs = next.blobs
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

  /// - Parameters:
  ///   - device: the peer that sent them; nil for frames of a bundle.
  ///   - session: the session on which they arrived; nil if on none.
  private mutating func hold(
    _ frames: [Frame], opening: Opening, from device: DeviceID?, on session: UInt32?,
    context: inout Context
  ) {
    guard let last = frames.last else { return }
    let log = last.strand
    let head = Head(log: log, sequence: last.sequence, hash: last.hash)
    context.settleConfirmations(of: log)
    context.effects.append(.store(.frames(opening, frames)))
    pulls.noteGrowth(of: log, through: last.sequence, context: &context)
    pulls.reassembly.remove(of: log, before: last.sequence + 1)
    let summary = LogSummary(opening: opening, head: head, base: context.logs[log]?.base)
    context.logs.set(summary, with: frames, by: context.roster)
    context.logs.noteRun(frames)
    if let device { context.confirm(LeafHint(head), isExact: false, by: device) }
    if context.logs[log]?.first == frames[0].sequence { adoptOrphans(context: &context) }
    context.activity.note(opening.certificate, at: context.now)
    accepted.append(AcceptedAuthor(certificate: opening.certificate, session: session))
  }

  /// Adds frames of this device, which are persisted already.
  mutating func append(_ frames: [Frame], opening: Opening, context: inout Context) -> Growth? {
    guard let last = frames.last else { return nil }
    let previousHead = context.logs[last.strand]?.head
    context.settleConfirmations(of: last.strand)
    // A peer may have sent forged successors of these frames.
    pulls.noteGrowth(of: last.strand, through: last.sequence, context: &context)
    pulls.reassembly.remove(of: last.strand, before: last.sequence + 1)
    let summary = LogSummary(
      opening: opening, head: Head(log: last.strand, sequence: last.sequence, hash: last.hash))
    context.logs.set(summary, with: frames, by: context.roster)
    context.logs.noteRun(frames)
    return Growth(frames: frames, opening: opening, before: previousHead)
  }
}

/// Changes of the roster, after which frames may be accepted that were not before.
extension FrameReceiver {
  /// Requests what the roster admits now and the old one did not.
  mutating func requestAdmitted(after old: Roster, context: inout Context) {
    let roster = context.roster
    let hasRoomAgain = roster.revoked != old.revoked || roster.control != old.control
    guard context.logs.strands.hasUnverifiable || hasRoomAgain else { return }
    context.logs.strands.retryUnverifiable()
    for device in context.peers.devices {
      // What a revocation names may have been refused for lack of room, and has room now. So has
      // what no revocation cuts any more.
      if !roster.revoked.isSuperset(of: old.revoked) || roster.control != old.control {
        context.peers[known: device].branches.refused = []
      } else if hasRoomAgain {
        let refused = context.peers[known: device].branches.refused
        if !refused.isEmpty {
          context.peers[known: device].branches.refused = refused.filter {
            roster.parts[$0]?.end == nil
          }
        }
      }
      pulls.requestAdvertised(by: device, context: &context)
    }
  }

  /// Requests logs again whose author was unknown, after certificates were added.
  mutating func requestUnverifiable(context: inout Context) {
    guard context.logs.strands.hasUnverifiable else { return }
    context.logs.strands.retryUnverifiable()
    for device in context.peers.devices {
      pulls.requestAdvertised(by: device, context: &context)
    }
  }
}

/// Frames of bundles. No peer sent them, so no peer is asked for more, and none is charged for an
/// invalid signature.
extension FrameReceiver {
  /// Stores frames of a bundle. They pass the same checks as those received from peers.
  mutating func receive(carried frames: [Frame], context: inout Context) {
    do throws(BundleRefusal) {
      try hold(carried: frames, context: &context)
    } catch {
      context.effects.append(.notice(.carried(.refusedFrames(error, frames.count))))
    }
  }

  private mutating func hold(
    carried frames: [Frame], context: inout Context
  ) throws(BundleRefusal) {
    var fresh = frames[...]
    guard let first = fresh.first, let last = fresh.last else { return }
    let held = context.logs[first.log]
    guard held != nil || first.sequence == 0 else { throw .unattached }
    // A log has exactly one opening: its successor shows whether this is it.
    if held != nil, first.sequence == 0 { fresh.removeFirst() }
    if let held, !held.isParted {
      guard first.sequence <= held.head.sequence + 1 else { throw .unattached }
      if last.sequence > held.head.sequence {
        let rest = fresh.drop { $0.sequence <= held.head.sequence }
        if rest.first?.previous == held.head.hash { fresh = rest }
      }
    }
    let known = frames.count - fresh.count
    if !fresh.isEmpty { try hold(verifying: Array(fresh), of: held, context: &context) }
    if known > 0 { context.effects.append(.notice(.carried(.knownFrames(known)))) }
  }

  /// Stores frames that follow the stored head of their log, that begin a new log, or that may
  /// belong to another branch of it.
  private mutating func hold(
    verifying frames: [Frame], of held: LogSummary?, context: inout Context
  ) throws(BundleRefusal) {
    var frames = frames
    let opening: Opening
    do throws(WireError) {
      opening = if let held { held.opening } else { try context.local.opening(of: frames[0]) }
    } catch {
      throw BundleRefusal(error)
    }
    guard
      let key = context.roster.signingKey(of: opening.certificate, rootKey: context.local.rootKey)
    else {
      throw .unknownAuthor
    }
    guard held != nil || context.logs.hasRoomForLog(frames[0].log, of: opening, by: context.roster)
    else {
      context.bounds.note(.logs, of: opening.certificate)
      throw .overLimit
    }
    do throws(WireError) {
      try context.local.verify(&frames, signedBy: key)
    } catch {
      throw BundleRefusal(error)
    }
    if let held, held.isParted || held.head.hash != frames[0].previous {
      return context.effects.append(.store(.branch(opening, frames, context.local.device)))
    }
    guard context.logs.mayQuarantine(frames, opening: opening, by: context.roster) else {
      throw .overLimit
    }
    hold(frames, opening: opening, from: nil, on: nil, context: &context)
  }
}

extension LocalDevice {
  /// Parses an opening, whose contents must hash to the log's id.
  func opening(of frame: Frame) throws(WireError) -> Opening {
    guard frame.sequence == 0, frame.epoch == nil else { throw .forged("opening") }
    let opening = try Opening(decoding: frame.body)
    let log = LogID(operation: operation, opening: opening)
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
        guard frames[index].isSigned(by: key, sharing: findings) else {
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
}
