internal import MusterModel

/// Asking for frames and answering such wishes: the receiver says how many bytes may come, and what
/// is lost on the way is asked for again.
extension SyncEngine {
  /// What one peer may owe at a time.
  private static let creditPerPeer = 2 * Limits.wantCreditBytes
  private static let creditPerPull = Limits.wantCreditBytes / 2
  /// The longest run from one signature that is kept to the next.
  private static let runBytes = Int(Limits.signatureInterval) * Limits.frameBodyBytes

  mutating func enqueue(_ log: LogID, from device: DeviceID) {
    guard let known = peers[device]?.known[log], known.sequence >= next(of: log),
      pulls[log] == nil, peers[device]?.sessions.isEmpty == false,
      isWelcome(log, from: device)
    else { return }
    peers[device]?.queue.append(log, of: known.set)
  }

  /// Sends as many wants as the peer's credit allows, control logs first.
  mutating func continuePulls(from device: DeviceID) {
    while let owed = peers[device]?.outstandingCredit,
      owed + Self.creditPerPull <= Self.creditPerPeer, let log = peers[device]?.queue.popFirst()
    {
      let next = next(of: log)
      guard pulls[log] == nil, let through = peers[device]?.known[log]?.sequence, through >= next
      else { continue }
      let most = (through - next + 1) * UInt64(Limits.frameBodyBytes)
      let granted = Int(min(most, UInt64(Self.creditPerPull)))
      peers[device]?.outstandingCredit += granted
      let pull = Pull(
        device: device, through: through, granted: granted, credit: granted,
        deadline: now.advanced(byMilliseconds: Timing.pullMilliseconds))
      pulls[log] = pull
      sendWant(log, pull)
    }
  }

  /// The first sequence that is not held.
  func next(of log: LogID) -> UInt64 { (shelf.logs[log]?.head.sequence).map { $0 + 1 } ?? 0 }

  /// Asks from the first frame on that has not come: what waits is not sent again, so that a narrow
  /// link, which drops what exceeds its queue, brings something new each time.
  private mutating func sendWant(_ log: LogID, _ pull: Pull) {
    let waiting = peers[pull.device]?.reassembly[log] ?? [:]
    var from = next(of: log)
    while waiting[from] != nil { from += 1 }
    var packet = Packet()
    packet.wants = [Want(log: log, from: from, credit: pull.granted)]
    outbox.add(packet, importance: .control, to: pull.device)
  }

  // MARK: Progress

  /// Called when frames came that were not held: put with those that wait, or held now.
  mutating func noteProgress(_ log: LogID, from device: DeviceID, bytes: Int) {
    guard var pull = pulls[log], pull.device == device else { return }
    pull.attempts = 0
    pull.credit -= bytes
    pull.deadline = now.advanced(byMilliseconds: Timing.pullMilliseconds)
    pull.through = max(pull.through, peers[device]?.known[log]?.sequence ?? 0)
    if pull.credit < pull.granted / 8, peers[device]?.reassembly[log] == nil {
      pull.credit = pull.granted
      sendWant(log, pull)
    }
    pulls[log] = pull
  }

  /// Called when a log has grown, by whomever: what was asked for may have come.
  mutating func noteGrowth(of log: LogID) {
    let next = next(of: log)
    for device in peers.keys.sorted() {
      guard let waiting = peers[device]?.reassembly[log] else { continue }
      let rest = waiting.filter { $0.key >= next }
      peers[device]?.reassembly[log] = rest.isEmpty ? nil : rest
    }
    guard let pull = pulls[log] else { return }
    let through = max(pull.through, peers[pull.device]?.known[log]?.sequence ?? 0)
    if next > through { finishPull(log) } else { pulls[log]?.through = through }
  }

  /// Whoever else is known to hold more is asked next.
  mutating func finishPull(_ log: LogID) {
    guard let pull = pulls.removeValue(forKey: log) else { return }
    peers[pull.device]?.outstandingCredit -= pull.granted
    peers[pull.device]?.reassembly[log] = nil
    for device in peers.keys.sorted() {
      enqueue(log, from: device)
      continuePulls(from: device)
    }
  }

  mutating func retryPulls() {
    for log in pulls.keys.sorted() {
      guard let pull = pulls[log], pull.deadline <= now else { continue }
      guard pull.attempts < Timing.pullAttempts else {
        // Given up for now: what this peer holds counts as unknown until it says so again.
        peers[pull.device]?.known[log] = nil
        finishPull(log)
        continue
      }
      pulls[log]?.attempts += 1
      pulls[log]?.credit = pull.granted
      pulls[log]?.deadline = now.advanced(
        byMilliseconds: Timing.pullMilliseconds << Int64(min(pull.attempts, Timing.pullDoublings)))
      sendWant(log, pull)
    }
  }

  // MARK: Answering

  /// One packet's wants, as far as one peer may owe at a time.
  mutating func serve(_ wants: [Want], to device: DeviceID) {
    var budget = Self.creditPerPeer
    for want in wants {
      guard let head = shelf.logs[want.log]?.head, want.from <= head.sequence,
        (1...budget).contains(want.credit)
      else { continue }
      budget -= want.credit
      effects.append(
        .fetch(
          FetchRequest(
            device: device, log: want.log, from: want.from,
            maxBytes: max(want.credit, Self.runBytes), credit: want.credit)))
      guard budget > 0 else { return }
    }
  }

  /// Sends the frames of a log that the store gave, up to the last within the credit that a
  /// signature proves, and at least up to the first.
  mutating func answer(_ request: FetchRequest, with frames: [Frame]) {
    var lastSigned: Int?
    var bytes = 0
    for (index, frame) in frames.enumerated() {
      bytes += frame.body.count
      if bytes > request.credit, lastSigned != nil { break }
      if frame.signature != nil { lastSigned = index }
    }
    guard let lane = shelf.logs[request.log]?.opening.lane, let lastSigned else { return }
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
