internal import MusterModel

/// Requests for frames: from each peer as much as it sends in a second or two, from several peers
/// parts of one log, nothing twice. The sender retransmits lost frames; ranges that a peer does not
/// deliver are requested from another.
///
/// Invariants: a pull has a segment or a returned range. Each segment belongs to a connected peer,
/// whose `pulling` names the log and counts the missing frames.
struct PullScheduler: Sendable {
  private var pulls: [LogID: Pull] = [:]
  /// Received frames that cannot be stored yet.
  var reassembly = Reassembly()
  /// What devices named that have no session with this one.
  private var toAll = RequestsToAll()

  /// The number of logs that are being requested.
  var count: Int { pulls.count }

  subscript(log: LogID) -> Pull? { pulls[log] }

  /// Queues a log of which a peer holds more than is stored or requested.
  mutating func enqueue(_ log: LogID, from device: DeviceID, context: inout Context) {
    guard let known = context.peers[device]?.holdings.logs[log],
      context.logs.isBehind(of: log, by: known.sequence),
      context.peers[device]?.sessions.isEmpty == false, context.isWelcome(log, from: device)
    else { return }
    // A log with nothing but its opening is not stored.
    guard known.sequence > 0 || context.logs[log] != nil else { return }
    if let pull = pulls[log], pull.returned.isEmpty, pull.cursor > known.sequence { return }
    context.peers[known: device].pulling.queue.append(log, of: known.set)
  }

  /// Notes a head that was named by a device without a session.
  mutating func noteNamed(_ head: LeafHint, of device: DeviceID, context: Context) {
    toAll.note(head, of: device, context: context)
  }

  /// Notes what another device asked all for.
  mutating func noteAsked(_ wants: [Want], context: Context) {
    for want in wants { toAll.noteAsked(want, context: context) }
  }

  /// Returns what to ask all receivers for: what is missing, and requested of no peer on a session.
  mutating func takeRequestsToAll(context: Context) -> [Want] {
    toAll.take(context: context) { pulls[$0] == nil }
  }

  /// Requests as much from a peer as it may owe: control logs first, round robin within a set.
  mutating func continuePulls(from device: DeviceID, context: inout Context) {
    guard context.peers[device]?.pulling.queue.isEmpty == false else { return }
    var wants: [Want] = []
    var blocked: [LogID] = []
    while context.peers[known: device].pulling.hasCredit,
      let log = context.peers[known: device].pulling.queue.popFirst()
    {
      guard let known = context.peers[known: device].holdings.logs[log],
        context.logs.isBehind(of: log, by: known.sequence)
      else {
        continue
      }
      guard let range = take(of: log, from: device, through: known.sequence, context: &context)
      else {
        // The window is full: its slowest peer will time out, or nothing is left.
        if let pull = pulls[log], pull.cursor <= known.sequence { blocked.append(log) }
        continue
      }
      context.peers[known: device].pulling.queue.append(log, of: known.set)
      if let last = wants.indices.last, wants[last].log == log,
        wants[last].through + 1 == range.lowerBound
      {
        wants[last].through = range.upperBound
      } else {
        wants.append(Want(log: log, from: range.lowerBound, through: range.upperBound))
      }
    }
    for log in blocked {
      guard let set = context.peers[known: device].holdings.logs[log]?.set else { continue }
      context.peers[known: device].pulling.queue.append(log, of: set)
    }
    for want in wants { send(want, to: device, context: &context) }
    watchPulls(from: device, isBlocked: !blocked.isEmpty, context: &context)
  }

  private mutating func send(_ want: Want, to device: DeviceID, context: inout Context) {
    var packet = Packet()
    packet.wants = [want]
    context.outbox.add(packet, importance: .control, to: device)
  }

  /// Takes a segment that has not been requested, and assigns it to this peer.
  private mutating func take(
    of log: LogID, from device: DeviceID, through: UInt64, context: inout Context
  ) -> ClosedRange<UInt64>? {
    let next = context.logs.next(of: log)
    guard
      pulls[log] != nil || pulls.count < Limits.knownHeads
        || context.peers[known: device].pulling.logs.count < Limits.pullsReserved
    else { return nil }
    var pull = pulls[log] ?? Pull(cursor: next)
    while let range = pull.take(next: next, through: through) {
      let missing = range.count - reassembly.count(of: log, in: range, from: device)
      guard missing > 0 else { continue }
      pull.segments.append(
        Pull.Segment(
          device: device, first: range.lowerBound, last: range.upperBound, missing: missing))
      pulls[log] = pull
      context.peers[known: device].pulling.logs.insert(log)
      context.peers[known: device].pulling.frames += missing
      return range
    }
    pulls[log] = pull.segments.isEmpty && pull.returned.isEmpty ? nil : pull
    return nil
  }

  // MARK: Progress

  /// Updates a pull after new frames arrived.
  mutating func noteArrival(
    _ sequences: [UInt64], bytes: Int, of log: LogID, from device: DeviceID, context: inout Context
  ) {
    guard let arrived = pulls[log]?.noteArrival(sequences, from: device), arrived > 0 else {
      return
    }
    context.peers[known: device].pulling.frames -= arrived
    context.peers[known: device].pulling.noteProgress(
      frames: sequences.count, bytes: bytes, now: context.clock.now)
    context.peers[known: device].pulling.deadline = nil
    tidyPull(of: log, from: device, context: &context)
    watchPulls(from: device, isBlocked: false, context: &context)
  }

  /// Updates a pull when frames were stored. MUST be called before they leave the buffers.
  mutating func noteGrowth(of log: LogID, through last: UInt64, context: inout Context) {
    guard let segments = pulls[log]?.segments else { return }
    var left: [Pull.Segment] = []
    for var segment in segments {
      if segment.first <= last {
        let range = segment.first...min(last, segment.last)
        let missing = range.count - reassembly.count(of: log, in: range, from: segment.device)
        segment.missing -= missing
        context.peers[known: segment.device].pulling.frames -= missing
        segment.first = range.upperBound + 1
      }
      if segment.missing > 0 { left.append(segment) }
    }
    pulls[log]?.segments = left
    for device in Set(segments.map(\.device)).sorted() {
      tidyPull(of: log, from: device, context: &context)
    }
  }

  private mutating func tidyPull(of log: LogID, from device: DeviceID, context: inout Context) {
    guard let pull = pulls[log] else { return }
    if !pull.segments.contains(where: { $0.device == device }) {
      release(log, of: device, context: &context)
    }
    if pull.segments.isEmpty, pull.returned.isEmpty { pulls[log] = nil }
  }

  /// Records that nothing of a log is requested from a device.
  private func release(_ log: LogID, of device: DeviceID, context: inout Context) {
    // One that sent frames without a session has no requests, and may have made room for others.
    guard context.peers[device] != nil else { return }
    context.peers[known: device].pulling.logs.remove(log)
  }

  // MARK: Timeouts

  private mutating func watchPulls(from device: DeviceID, isBlocked: Bool, context: inout Context) {
    guard let pulling = context.peers[device]?.pulling else { return }
    guard !pulling.logs.isEmpty || isBlocked else {
      context.peers[known: device].pulling.deadline = nil
      return
    }
    let wait =
      (Timing.pullMilliseconds << Int64(min(pulling.attempts, Timing.pullDoublings)))
      * context.tries(to: device) + 2 * context.outbox.links.patienceMilliseconds
    let deadline = pulling.deadline ?? context.now.advanced(byMilliseconds: wait)
    context.peers[known: device].pulling.deadline = deadline
    // An expired deadline is processed in this round or the next, never in a loop.
    context.deadlines.schedule(
      .sendQueue(device), at: max(deadline, context.now.advanced(byMicroseconds: 1)))
  }

  /// Handles a pull timeout. Other peers that hold the same are asked, or the same peer again.
  /// After the last attempt, what it holds counts as unknown until it advertises it again.
  mutating func passPullDeadline(of device: DeviceID, context: inout Context) {
    guard let pulling = context.peers[device]?.pulling, let deadline = pulling.deadline else {
      return
    }
    guard deadline <= context.now else {
      return context.deadlines.schedule(.sendQueue(device), at: deadline)
    }
    context.peers[known: device].pulling.deadline = nil
    guard !pulling.logs.isEmpty else { return continuePulls(from: device, context: &context) }
    if context.outbox.links.isPaced, context.outbox.hasSentNothing(of: device) {
      return watchPulls(from: device, isBlocked: false, context: &context)
    }
    context.peers[known: device].pulling.attempts += 1
    for log in pulling.logs.sorted() {
      if pulling.attempts >= Timing.pullAttempts {
        context.noteUnanswered(log, by: device)
        context.peers[known: device].holdings.logs[log] = nil
        giveBack(log, of: device, context: &context)
      } else if isHeldElsewhere(log, than: device, context: &context) {
        giveBack(log, of: device, context: &context)
      } else {
        askAgain(for: log, from: device, context: &context)
      }
    }
    watchPulls(
      from: device, isBlocked: !context.peers[known: device].pulling.queue.isEmpty,
      context: &context)
  }

  /// Returns whether another reachable peer without a timeout holds as much of a log as was
  /// requested.
  private func isHeldElsewhere(_ log: LogID, than device: DeviceID, context: inout Context) -> Bool
  {
    let last = pulls[log]?.segments.filter { $0.device == device }.map(\.last).max() ?? 0
    return context.peers.connected.contains { other in
      other != device && context.peers[other]?.pulling.attempts == 0
        && context.peers[other]?.holdings.logs[log].map { $0.sequence >= last } ?? false
        && context.isWelcome(log, from: other)
    }
  }

  private mutating func askAgain(for log: LogID, from device: DeviceID, context: inout Context) {
    for segment in pulls[log]?.segments ?? [] where segment.device == device {
      var from = segment.first
      while from < segment.last, reassembly.frame(from, of: log, from: device) != nil { from += 1 }
      send(Want(log: log, from: from, through: segment.last), to: device, context: &context)
    }
  }

  /// Returns the ranges of a log that were requested from a peer, for requests to others.
  mutating func giveBack(_ log: LogID, of device: DeviceID, context: inout Context) {
    if context.logs.strands[log]?.device == device { context.logs.strands.end(log) }
    guard let segments = pulls[log]?.segments else { return }
    let next = context.logs.next(of: log)
    for segment in segments where segment.device == device {
      context.peers[known: device].pulling.frames -= segment.missing
      if segment.last >= next {
        pulls[log]?.returned.append(max(segment.first, next)...segment.last)
      }
    }
    pulls[log]?.segments.removeAll { $0.device == device }
    release(log, of: device, context: &context)
    var isOffered = false
    for other in context.peers.devices where other != device {
      guard context.peers[other]?.holdings.logs[log] != nil else { continue }
      enqueue(log, from: other, context: &context)
      continuePulls(from: other, context: &context)
      isOffered = true
    }
    // No other peer offers it: a later offer starts from what is stored.
    if !isOffered || pulls[log]?.segments.isEmpty == true { pulls[log]?.returned = [] }
    tidyPull(of: log, from: device, context: &context)
  }

  /// Cancels the pull of a log that cannot be accepted now from any peer.
  mutating func abandonPull(of log: LogID, butFrom kept: DeviceID? = nil, context: inout Context) {
    for segment in pulls[log]?.segments ?? [] {
      context.peers[known: segment.device].pulling.frames -= segment.missing
      context.peers[known: segment.device].pulling.logs.remove(log)
    }
    pulls[log] = nil
    for device in reassembly.sources(of: log) where device != kept {
      reassembly.remove(of: log, from: device)
    }
  }

  /// Cancels all requests to a peer after its last session ended.
  mutating func stopPulls(from device: DeviceID, context: inout Context) {
    reassembly.remove(from: device)
    context.logs.strands.endAll(of: device)
    for log in context.peers[known: device].pulling.logs.sorted() {
      giveBack(log, of: device, context: &context)
    }
    context.peers[known: device].pulling = PeerPulls()
  }

  /// Re-evaluates what a peer advertised after the roster has grown.
  mutating func requestAdvertised(by device: DeviceID, context: inout Context) {
    for log in context.peers[known: device].holdings.logs.keys.sorted() {
      enqueue(log, from: device, context: &context)
    }
    continuePulls(from: device, context: &context)
  }

  func checkInvariants(context: Context) {
    toAll.checkInvariants()
    var owed: [DeviceID: Int] = [:]
    for (log, pull) in pulls {
      precondition(!pull.segments.isEmpty || !pull.returned.isEmpty, "a pull of nothing")
      for segment in pull.segments {
        precondition(context.logs.next(of: log) <= segment.last, "nothing left to pull of \(log)")
        precondition(segment.missing > 0, "a segment that has come")
        precondition(
          context.peers[segment.device]?.pulling.logs.contains(log) == true,
          "a pull without a timeout")
        owed[segment.device, default: 0] += segment.missing
      }
    }
    for device in context.peers.devices {
      guard let peer = context.peers[device] else { continue }
      precondition(
        peer.pulling.frames == owed[device] ?? 0,
        "\(peer.pulling.frames) frames asked for, \(owed[device] ?? 0) in pulls")
      precondition(
        peer.holdings.logs.count <= Limits.knownHeads, "\(peer.holdings.logs.count) known heads")
      precondition(
        !peer.sessions.isEmpty || peer.pulling.queue.isEmpty, "a queue without a session")
    }
    var total = 0
    for (log, sources) in reassembly.logs {
      let next = context.logs.next(of: log)
      for source in sources {
        precondition(!source.frames.isEmpty, "an empty buffer")
        precondition(source.frames.keys.allSatisfy { $0 >= next }, "frames held and waiting")
        total += source.frames.count
      }
    }
    precondition(
      total == reassembly.total,
      "\(total) frames wait, not \(reassembly.total)")
    precondition(
      total <= Limits.bufferedFramesInAll + Limits.bufferedFramesReserved * Limits.peers,
      "\(total) frames wait")
  }
}
