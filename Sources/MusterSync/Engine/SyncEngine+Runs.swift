internal import MusterCrypto
internal import MusterModel

/// Taking in frames: put in order, prove by chain and signature, store, pass on.
extension SyncEngine {
  mutating func receive(_ run: Run, from device: DeviceID, endpoint: Endpoint) {
    let next = next(of: run.log)
    let last = run.first + UInt64(run.frames.count) - 1
    remember(run.log, through: last, of: device)
    guard last >= next, isWelcome(run.log, from: device) else { return }
    var waiting = peers[device]?.reassembly.removeValue(forKey: run.log) ?? [:]
    let bringsNews = buffer(run, from: next, with: &waiting)
    guard drain(&waiting, of: run, from: device, endpoint: endpoint) else { return }
    let mayKeep = hasRoom(for: waiting.count, of: device)
    peers[device]?.reassembly[run.log] = waiting.isEmpty || !mayKeep ? nil : waiting
    if bringsNews, mayKeep {
      let bytes = run.frames.reduce(0) { $0 + $1.body.count }
      noteProgress(run.log, from: device, bytes: bytes)
    }
    if !waiting.isEmpty { enqueue(run.log, from: device) }
  }

  /// Whether frames of a log may come from a peer: not while nobody can tell whether they hold,
  /// and not after some did not.
  func isWelcome(_ log: LogID, from device: DeviceID) -> Bool {
    !unverifiable.contains(log) && peers[device]?.refused.contains(log) == false
  }

  private func hasRoom(for count: Int, of device: DeviceID) -> Bool {
    let held = peers[device]?.reassembly.values.reduce(0) { $0 + $1.count } ?? 0
    return held + count <= Limits.bufferedFrames
  }

  /// Puts frames with those that wait, and says whether any is new. A window and not a count: what
  /// is far ahead must not crowd out the frame that comes next.
  private func buffer(
    _ run: Run, from next: UInt64, with waiting: inout [UInt64: RunFrame]
  ) -> Bool {
    var bringsNews = false
    for (sequence, frame) in zip(run.first..., run.frames)
    where sequence >= next && sequence - next < Limits.bufferedFramesPerLog {
      if waiting[sequence] == nil { bringsNews = true }
      if waiting[sequence]?.signature == nil { waiting[sequence] = frame }
    }
    return bringsNews
  }

  /// Takes the frames that follow what is held, up to the last that a signature proves. False when
  /// they do not hold, or nobody can tell.
  private mutating func drain(
    _ waiting: inout [UInt64: RunFrame], of run: Run, from device: DeviceID, endpoint: Endpoint
  ) -> Bool {
    let log = run.log
    let held = shelf.logs[log]
    let first = next(of: log)
    if let held, run.first == first, let previous = run.previous, previous != held.head.hash {
      effects.append(.notice(.forkSeen(log, sequence: first)))
      refuse(log, from: device)
      return false
    }
    var frames = chain(waiting, of: log, after: held?.head, from: first)
    guard let lastSigned = frames.lastIndex(where: { $0.signature != nil }) else { return true }
    frames.removeSubrange((lastSigned + 1)...)
    do throws(WireError) {
      let opening = if let held { held.opening } else { try opening(of: frames[0]) }
      guard let key = roster.signingKey(of: opening.certificate, rootKey: local.rootKey) else {
        if unverifiable.count < Limits.logs { unverifiable.insert(log) }
        finishPull(log)
        reject(.unknownAuthor, from: endpoint)
        return false
      }
      guard held != nil || shelf.logs.count < Limits.logs else { throw .overLimit("logs") }
      try verify(&frames, signedBy: key)
      for frame in frames { waiting[frame.sequence] = nil }
      hold(frames, opening: opening, from: device)
      return true
    } catch {
      refuse(log, from: device)
      reject(error, from: endpoint)
      return false
    }
  }

  /// A peer whose frames do not follow from what is held is asked no more for them; others are.
  private mutating func refuse(_ log: LogID, from device: DeviceID) {
    if (peers[device]?.refused.count ?? 0) < Limits.logs { peers[device]?.refused.insert(log) }
    if pulls[log]?.device == device { finishPull(log) }
  }

  /// The frames from `first` on without a gap, with the hashes that their contents give.
  private func chain(
    _ waiting: [UInt64: RunFrame], of log: LogID, after head: Head?, from first: UInt64
  ) -> [Frame] {
    var frames: [Frame] = []
    var previous = head?.hash ?? .none
    var sequence = first
    while let next = waiting[sequence] {
      var frame = Frame(
        log: log, sequence: sequence, previous: previous, epoch: next.epoch, body: next.body,
        hash: .none, signature: next.signature)
      frame.hash = frame.computedHash(operation: local.operation)
      #if Canary
        if Canary.acceptUnsigned.isPlanted, frame.signature == nil { frame.signature = [] }
      #endif
      previous = frame.hash
      sequence += 1
      frames.append(frame)
    }
    return frames
  }

  /// Parses an opening, whose contents must hash to the log's own id.
  private func opening(of frame: Frame) throws(WireError) -> Opening {
    guard frame.sequence == 0, frame.epoch == nil else { throw .forged("opening") }
    let opening = try Opening(decoding: frame.body)
    let log = LogID(
      operation: local.operation, certificate: opening.certificate,
      incarnation: opening.incarnation, lane: opening.lane)
    guard log == frame.log, opening.certificate != .root || opening.lane == .control else {
      throw .forged("opening")
    }
    return opening
  }

  /// The last frame's signature and the hash chain prove the run. Signatures at the intervals are
  /// kept to be sent on, so they must be there and hold as well; others are let go.
  private func verify(_ frames: inout [Frame], signedBy key: VerifyingKey) throws(WireError) {
    #if Canary
      if Canary.skipSignature.isPlanted { return }
    #endif
    let last = frames.count - 1
    for index in frames.indices {
      #if Canary
        if Canary.acceptUnsigned.isPlanted, frames[index].signature == [] { continue }
      #endif
      if index == last || frames[index].sequence % Limits.signatureInterval == 0 {
        guard frames[index].isSigned(by: key) else {
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

  private mutating func hold(_ frames: [Frame], opening: Opening, from device: DeviceID) {
    guard let last = frames.last else { return }
    let previousHead = shelf.logs[last.log]?.head
    settleConfirmations(of: last.log)
    effects.append(.store(.frames(opening, frames)))
    shelf.set(
      LogSummary(
        opening: opening, head: Head(log: last.log, sequence: last.sequence, hash: last.hash)))
    confirm(
      LeafHint(Head(log: last.log, sequence: last.sequence, hash: last.hash)), isExact: false,
      by: device)
    noteGrowth(of: last.log)
    forward(frames, opening: opening, after: previousHead, except: device)
  }

  // MARK: Passing on

  /// Frames of this device: durable already, so they may leave.
  mutating func append(_ frames: [Frame], opening: Opening) {
    guard let last = frames.last else { return }
    let previousHead = shelf.logs[last.log]?.head
    settleConfirmations(of: last.log)
    shelf.set(
      LogSummary(
        opening: opening, head: Head(log: last.log, sequence: last.sequence, hash: last.hash)))
    forward(frames, opening: opening, after: previousHead, except: nil)
    announcing.quicken(now: now)
  }

  /// A few fresh frames go at once to everybody in reach who is not known to hold them; of many
  /// only the head is named, for those who want them.
  private mutating func forward(
    _ frames: [Frame], opening: Opening, after previous: Head?, except source: DeviceID?
  ) {
    guard let last = frames.last else { return }
    let isShort = frames.count <= 4
    for device in peers.keys.sorted() where device != source {
      guard let peer = peers[device], !peer.sessions.isEmpty else { continue }
      if let theirs = peer.known[last.log], theirs.sequence >= last.sequence { continue }
      if isShort {
        send(frames, lane: opening.lane, previous: previous?.hash ?? FrameHash.none, to: device)
      } else {
        var packet = Packet()
        packet.heads = [
          LeafHint(Head(log: last.log, sequence: last.sequence, hash: last.hash))
        ]
        outbox.add(packet, importance: Outbox.Importance(opening.lane), to: device)
      }
      peers[device]?.quicken(now: now)
    }
  }
}
