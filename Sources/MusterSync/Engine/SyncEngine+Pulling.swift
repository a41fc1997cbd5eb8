internal import MusterModel

/// Asking for frames and answering such wishes: the receiver says how many bytes may come, and what
/// is lost on the way is asked for again.
extension SyncEngine {
  /// What one peer may owe at a time.
  private static let creditPerPeer = 2 * Limits.wantCreditBytes
  private static let creditPerPull = Limits.wantCreditBytes / 2

  mutating func enqueue(_ log: LogID, from device: DeviceID) {
    guard pulls[log] == nil, !unverifiable.contains(log), let peer = peers[device],
      !peer.queue.contains(log), peer.queue.count < Limits.logs
    else { return }
    peers[device]?.queue.append(log)
  }

  /// Sends as many wants as the peer's credit allows, control logs first.
  mutating func continuePulls(from device: DeviceID) {
    while let peer = peers[device], !peer.queue.isEmpty, !peer.sessions.isEmpty,
      peer.outstandingCredit + Self.creditPerPull <= Self.creditPerPeer
    {
      let first = peer.queue.indices.min { left, right in
        (set(of: peer.queue[left], device), left) < (set(of: peer.queue[right], device), right)
      }
      guard let first else { return }
      let log = peer.queue[first]
      peers[device]?.queue.remove(at: first)
      guard pulls[log] == nil, let through = newestKnown(log, of: device), through >= next(of: log)
      else { continue }
      peers[device]?.outstandingCredit += Self.creditPerPull
      pulls[log] = Pull(
        device: device, through: through, credit: Self.creditPerPull,
        deadline: now.advanced(byMilliseconds: Timing.pullMilliseconds))
      sendWant(log, to: device)
    }
  }

  private func set(of log: LogID, _ device: DeviceID) -> SetID {
    let known = peers[device]?.known ?? [:]
    return SetID.allCases.first { known[$0]?[log.raw] != nil } ?? .state
  }

  private func newestKnown(_ log: LogID, of device: DeviceID) -> UInt64? {
    let known = peers[device]?.known ?? [:]
    return SetID.allCases.compactMap { known[$0]?[log.raw]?.number }.max().map(UInt64.init)
  }

  /// The first sequence that is not held.
  func next(of log: LogID) -> UInt64 { (shelf.logs[log]?.head.sequence).map { $0 + 1 } ?? 0 }

  private mutating func sendWant(_ log: LogID, to device: DeviceID) {
    var packet = Packet()
    packet.wants = [Want(log: log, from: next(of: log), credit: Self.creditPerPull)]
    outbox.add(packet, importance: .control, to: device)
  }

  // MARK: Progress

  /// Called when frames of a log came from a peer, held now or not.
  mutating func noteProgress(_ log: LogID, from device: DeviceID, bytes: Int) {
    guard var pull = pulls[log], pull.device == device else { return }
    pull.attempts = 0
    pull.credit -= bytes
    pull.deadline = now.advanced(byMilliseconds: Timing.pullMilliseconds)
    pull.through = max(pull.through, newestKnown(log, of: device) ?? 0)
    pulls[log] = pull
    if next(of: log) > pull.through {
      finishPull(log)
    } else if pull.credit < Self.creditPerPull / 8, reassemblyIsEmpty(log, of: device) {
      pulls[log]?.credit = Self.creditPerPull
      sendWant(log, to: device)
    }
  }

  private func reassemblyIsEmpty(_ log: LogID, of device: DeviceID) -> Bool {
    peers[device]?.reassembly[log]?.isEmpty ?? true
  }

  mutating func finishPull(_ log: LogID) {
    guard let pull = pulls.removeValue(forKey: log) else { return }
    peers[pull.device]?.outstandingCredit -= Self.creditPerPull
    peers[pull.device]?.reassembly[log] = nil
  }

  mutating func retryPulls() {
    for log in pulls.keys.sorted() {
      guard let pull = pulls[log], pull.deadline <= now else { continue }
      guard pull.attempts < Timing.pullAttempts else {
        // Given up for now: the next comparison of roots finds it again, with whoever is there.
        finishPull(log)
        continue
      }
      pulls[log]?.attempts += 1
      pulls[log]?.credit = Self.creditPerPull
      pulls[log]?.deadline = now.advanced(
        byMilliseconds: Timing.pullMilliseconds << Int64(pull.attempts))
      sendWant(log, to: pull.device)
    }
    for device in peers.keys.sorted() { continuePulls(from: device) }
  }

  // MARK: Answering

  mutating func serve(_ want: Want, to device: DeviceID) {
    guard let head = shelf.logs[want.log]?.head, want.from <= head.sequence, want.credit > 0 else {
      return
    }
    effects.append(
      .fetch(
        FetchRequest(device: device, log: want.log, from: want.from, maxBytes: want.credit)))
  }

  /// Sends the frames of a log that the store gave, up to the last that a signature proves.
  mutating func answer(_ request: FetchRequest, with frames: [Frame]) {
    guard let lane = shelf.logs[request.log]?.opening.lane,
      let lastSigned = frames.lastIndex(where: { $0.signature != nil })
    else { return }
    send(Array(frames[...lastSigned]), lane: lane, previous: nil, to: request.device)
  }

  /// Cuts a run into datagrams. Inner signatures stay behind, but for those at the intervals at
  /// which every holder keeps one.
  mutating func send(_ frames: [Frame], lane: Lane, previous: FrameHash?, to device: DeviceID) {
    guard let log = frames.first?.log else { return }
    var run: Run?
    var size = 0
    let last = frames.count - 1
    for (index, frame) in frames.enumerated() {
      let keepsSignature = index == last || frame.sequence % Limits.signatureInterval == 0
      let part = RunFrame(
        epoch: frame.epoch, body: frame.body, signature: keepsSignature ? frame.signature : nil)
      let partSize = part.body.count + (part.signature == nil ? 24 : 90)
      if run != nil, size + partSize > packetBytes {
        flush(&run, lane: lane, to: device)
      }
      if run == nil {
        run = Run(
          log: log, first: frame.sequence, previous: index == 0 ? previous : nil, frames: [])
        size = 70
      }
      run?.frames.append(part)
      size += partSize
    }
    flush(&run, lane: lane, to: device)
  }

  private mutating func flush(_ run: inout Run?, lane: Lane, to device: DeviceID) {
    guard let full = run else { return }
    var packet = Packet()
    packet.runs = [full]
    outbox.add(packet, importance: Outbox.Importance(lane), to: device)
    run = nil
  }
}
