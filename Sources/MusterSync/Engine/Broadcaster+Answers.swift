internal import MusterModel

/// Answers by multicast: on a narrow link, one takes no more of it than the answer to a single
/// peer, and serves all that are missing the same.
extension Broadcaster {
  /// Fetches frames that a device asked all for.
  func fetch(_ wants: [Want], for device: DeviceID, context: inout Context) {
    guard !wants.isEmpty, context.reception(of: device) != nil else { return }
    for want in wants {
      guard let summary = context.logs[want.log], !want.isSearch, want.from >= summary.first,
        want.from <= summary.head.sequence
      else { continue }
      let through = min(want.through, summary.head.sequence)
      context.effects.append(
        .fetch(
          FetchRequest(
            device: device, log: want.log, from: want.from, through: through,
            last: summary.head.sequence, kind: .all)))
    }
  }

  /// Sends fetched frames to the peer that asked for them, to all, or to the peers on uplinks.
  mutating func answer(
    _ request: FetchRequest, with fetched: [Frame], context: inout Context
  ) {
    if request.kind == .feed { return feed(fetched, of: request.log, context: &context) }
    context.finishFetch(for: request)
    let frames = request.answer(from: fetched)
    if !answerAll(request, with: frames, context: &context) {
      context.answer(request, with: frames)
    }
  }

  /// Sends requested records to the peer that asked for them, or to all.
  mutating func serve(
    _ wants: [RecordTopic], of records: RecordCache, to device: DeviceID, context: inout Context
  ) {
    for record in wants.compactMap({ records[$0] })
    where !answerAll(device, with: record, context: &context) {
      context.outbox.add(record, to: device)
    }
  }

  /// Answers a request for frames by multicast: the narrower the links, the more of these.
  ///
  /// - Returns: false if the answer is to be sent on the session.
  private mutating func answerAll(
    _ request: FetchRequest, with frames: [Frame], context: inout Context
  ) -> Bool {
    let isAsked = request.kind == .all
    guard isAsked || request.kind == .frames, let first = frames.first, let last = frames.last,
      let opening = context.logs[request.log]?.opening,
      !context.logs.isQuarantined(request.log, last.sequence),
      isAsked
        || Fresh.frames(frames, opening.lane, after: first.previous)
          .isAnsweredToAll(narrowness: context.narrowness)
    else { return false }
    var pieces: [Fresh] = []
    var rest = frames[...]
    for run in Run.pieces(of: frames, previous: first.previous, covered: []) {
      let piece = Array(rest.prefix(run.frames.count))
      pieces.append(.frames(piece, opening.lane, after: piece[0].previous))
      rest = rest.dropFirst(piece.count)
    }
    return answerAll(
      request.device, with: pieces, by: opening.certificate, hasSession: !isAsked,
      context: &context)
  }

  /// Answers a request for a record by multicast, as one for frames.
  private mutating func answerAll(
    _ device: DeviceID, with record: LatestRecord, context: inout Context
  ) -> Bool {
    let fresh = Fresh.records([record])
    return fresh.isAnsweredToAll(narrowness: context.narrowness)
      && answerAll(
        device, with: [fresh], by: record.certificate, hasSession: true, context: &context)
  }

  private mutating func answerAll(
    _ device: DeviceID, with pieces: [Fresh], by author: CertificateHash, hasSession: Bool,
    context: inout Context
  ) -> Bool {
    guard let link = context.reception(of: device)?.link else { return false }
    let receivers = context.peers.devices.count { context.reception(of: $0)?.link == link }
    return receivers > 1
      && multicaster.answer(
        with: pieces, byAuthor: author == context.local.certificate.hash, on: link,
        receivers: receivers, hasSession: hasSession, context: &context)
  }
}
