internal import MusterModel

/// Answers requests for frames, one piece at a time, as fast as the send queue drains.
extension Context {
  /// The next piece is fetched for a peer when fewer parts than this are queued for it.
  private static let partsAhead = 32

  mutating func serve(_ wants: [Want], to device: DeviceID) {
    for want in wants {
      guard let summary = logs[want.log] else { continue }
      guard !want.isSearch, want.from >= summary.first else {
        serveStrand(want, of: summary, to: device)
        continue
      }
      let through = min(want.through, summary.head.sequence)
      // What is in flight already is retransmitted until it arrives.
      let from =
        outbox.sendQueues[device]?.queue.next(of: want.log, after: want.from) ?? want.from
      guard from <= through else { continue }
      outbox.sendQueues[device, default: SendQueue()].wants.add(
        WantQueue.RequestedRange(
          log: want.log,
          set: logs.isQuarantined(want.log, from)
            ? .quarantine : SetID(summary.opening.lane),
          from: from, through: through))
      outbox.touch(device)
    }
  }

  /// Serves a strand from a sequence where every holder keeps a signature, so that its predecessor
  /// is likely to be known.
  private mutating func serveStrand(
    _ want: Want, of summary: LogSummary, to device: DeviceID
  ) {
    let start = want.isSearch ? want.from : summary.first
    let through = min(max(want.through, start), summary.head.sequence)
    guard start > 0, start <= through else { return }
    let boundary = (start - 1) / Limits.signatureInterval * Limits.signatureInterval
    outbox.sendQueues[device, default: SendQueue()].wants.add(
      WantQueue.RequestedRange(
        log: want.log, set: SetID(summary.opening.lane), from: boundary + 1, through: through,
        kind: want.isSearch ? .search : .strand))
    outbox.touch(device)
  }

  /// Fetches more data for a peer before anything is sent, if the queued parts would leave a
  /// datagram half empty. Returns true if the result arrives at this very moment.
  mutating func fetchToFill(_ device: DeviceID) -> Bool {
    guard let sendQueue = outbox.sendQueues[device],
      sendQueue.queue.waitingBytes - sendQueue.queue.blobBytes < packetBytes
    else {
      return false
    }
    return fetchMore(for: device)
  }

  /// Starts the next fetch. Returns whether one was started.
  @discardableResult
  mutating func fetchMore(for device: DeviceID) -> Bool {
    guard let sendQueue = outbox.sendQueues[device], !sendQueue.wants.isEmpty,
      sendQueue.queue.waiting - sendQueue.queue.blobParts < Self.partsAhead,
      let piece = outbox.sendQueues[device]?.wants.beginFetch()
    else { return false }
    let last = logs[piece.log]?.head.sequence ?? 0
    guard piece.from <= last else {
      outbox.sendQueues[device]?.wants.finishFetch()
      return false
    }
    effects.append(
      .fetch(
        FetchRequest(
          device: device, log: piece.log, from: piece.from, through: piece.through, last: last,
          kind: piece.kind)))
    return true
  }

  /// Lets the next fetch for a peer begin.
  mutating func finishFetch(for request: FetchRequest) {
    guard request.kind != .all else { return }
    outbox.sendQueues[request.device]?.wants.finishFetch()
    outbox.touch(request.device)
  }

  /// Sends fetched frames of a log to the peer that asked for them.
  mutating func answer(_ request: FetchRequest, with answer: [Frame]) {
    guard let first = answer.first, let lane = logs[request.log]?.opening.lane else { return }
    switch request.kind {
    case .frames:
      send(answer, as: request.log, lane: lane, previous: nil, to: request.device)
    case .strand:
      send(
        answer, as: request.log, lane: lane, previous: first.previous, origin: first.log,
        to: request.device)
    case .search:
      send(
        answer, as: LogID(strandOf: first.log, beginningWith: first.hash), lane: lane,
        previous: first.previous, origin: first.log, to: request.device)
    case .feed, .all: break
    }
  }

  /// Splits a run into datagrams and queues them.
  mutating func send(
    _ frames: [Frame], as log: LogID, lane: Lane, previous: FrameHash?, origin: LogID? = nil,
    to device: DeviceID
  ) {
    for run in Run.pieces(of: frames, as: log, after: previous, origin: origin) {
      outbox.add(part(run, lane: lane), to: device)
    }
  }

  /// Returns the part of a run that fits a datagram.
  func part(_ run: Run, lane: Lane) -> PartQueue.Part {
    var packet = Packet()
    packet.runs = [run]
    return PartQueue.Part(
      packet,
      importance: logs.isQuarantined(run.log, run.first)
        ? .quarantine : Outbox.Importance(lane),
      author: logs[run.log]?.opening.certificate)
  }
}

extension Run {
  /// The maximum encoding overhead of a run, and of a frame in it.
  private static let runOverhead = 64
  private static let partOverhead = 6

  /// Returns runs that each fit a datagram, as any single frame does.
  ///
  /// - Parameters:
  ///   - previous: the hash of the frame before the first, if it is to be stated.
  ///   - origin: the forked log, if the frames may belong to a branch that the receiver lacks.
  static func pieces(
    of frames: [Frame], as log: LogID, after previous: FrameHash?, origin: LogID? = nil
  ) -> [Run] {
    var (pieces, run, size) = ([Run](), nil as Run?, 0)
    let last = frames.count - 1
    for (index, frame) in frames.enumerated() {
      let part = RunFrame(frame, isLast: index == last)
      let namesEpoch = run?.frames.last?.epoch != frame.epoch
      let partSize =
        part.body.count + partOverhead + (part.signature == nil ? 0 : 66)
        + (namesEpoch ? 18 : 0)
        + (part.blobs.isEmpty ? 0 : part.blobs.count * BlobListing.encodedBytes + 2)
      if let full = run, size + partSize > packetBytes {
        pieces.append(full)
        run = nil
      }
      if run == nil {
        run = Run(
          log: log, first: frame.sequence,
          previous: index == 0 && frame.sequence > 0 ? previous : nil, frames: [],
          origin: index == 0 ? origin : nil)
        size = runOverhead + (frame.epoch == nil || namesEpoch ? 0 : 18)
        if index == 0, origin != nil { size += 18 }
      }
      run?.frames.append(part)
      size += partSize
    }
    return pieces + (run.map { [$0] } ?? [])
  }
}
