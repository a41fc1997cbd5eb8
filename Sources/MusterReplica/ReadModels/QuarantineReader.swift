internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Frames after a cut-off, which a revoked device wrote unaware or maliciously.
struct QuarantineReader {
  let context: ReadContext
  let keyring: Keyring

  /// The most that are listed at once; releasing frames makes room for others.
  private static let listed = 1000

  /// Returns the quarantined frames by device, log and sequence, except openings and control
  /// frames, which cannot be released.
  func quarantine() throws -> [QuarantinedFrame] {
    var found: [QuarantinedFrame] = []
    try eachQuarantined { frame, opening, author in
      let decoded = decoded(in: frame, by: author)
      found.append(
        QuarantinedFrame(
          hash: frame.hash, device: author.device, callsign: try context.callsign(of: author.user),
          log: frame.log, lane: opening.lane, sequence: frame.sequence,
          writtenAt: decoded?.writtenAt, contents: decoded?.lines ?? []))
      return found.count < Self.listed
    }
    return found.sorted { ($0.device, $0.log, $0.sequence) < ($1.device, $1.log, $1.sequence) }
  }

  /// Returns the frames of a device, or one frame with the other parts of its group.
  ///
  /// - Parameter reference: the first digits of a frame's hash, or of a device.
  func frames(named reference: String) throws -> [Frame] {
    guard let prefix = IdentifierPrefix(reference) else { throw Refusal.noID(reference) }
    var (named, devices): ([Frame], Set<DeviceID>) = ([], [])
    var parts: [Frame] = []
    try eachQuarantined { frame, _, author in
      if prefix.begins(author.device) {
        devices.insert(author.device)
        named.append(frame)
      } else if prefix.begins(frame.hash) {
        named.append(frame)
      }
      if decoded(in: frame, by: author)?.isPart == true { parts.append(frame) }
      return true
    }
    guard let first = named.first else {
      throw Refusal(
        "no frame or device \(reference) is in quarantine here: see muster quarantine list",
        .unknown)
    }
    if devices.isEmpty {
      guard named.count == 1 else {
        throw Refusal("\(named.count) frames begin with \(reference): give more digits", .unknown)
      }
      named = Self.whole(first, among: parts)
    } else if devices.count > 1 {
      throw Refusal("\(devices.count) devices begin with \(reference): give more digits", .unknown)
    }
    return named
  }

  /// Returns a frame with the adjacent parts of its group.
  private static func whole(_ frame: Frame, among parts: [Frame]) -> [Frame] {
    let others = parts.filter { $0.strand == frame.strand }
    guard others.contains(frame) else { return [frame] }
    var range = frame.sequence...frame.sequence
    let sequences = Set(others.map(\.sequence))
    while range.lowerBound > 0, sequences.contains(range.lowerBound - 1) {
      range = range.lowerBound - 1...range.upperBound
    }
    while sequences.contains(range.upperBound + 1) {
      range = range.lowerBound...range.upperBound + 1
    }
    return others.filter { range.contains($0.sequence) }
  }

  /// Calls `body` with every quarantined frame, until it returns false.
  private func eachQuarantined(
    _ body: (Frame, Opening, Author) throws -> Bool
  ) throws {
    for log in try context.store.logs() where log.opening.lane != .control {
      guard let author = context.control.author(of: log.opening.certificate),
        context.control.framesCut(of: log) > 0
      else { continue }
      var next = max(log.first, log.head.sequence + 1 - context.control.framesCut(of: log))
      while next <= log.head.sequence {
        let frames = try context.store.frames(
          log: log.head.log, from: next, maxBytes: 1 << 20, maxFrames: 1024)
        guard let last = frames.last else { break }
        for frame in frames where frame.sequence > 0 && !context.control.isReleased(frame) {
          guard try body(frame, log.opening, author) else { return }
        }
        next = last.sequence + 1
      }
    }
  }

  /// Returns the content of a frame as text; nil if it cannot be read.
  private func decoded(
    in frame: Frame, by author: Author
  ) -> (writtenAt: Timestamp, lines: [String], isPart: Bool)? {
    guard let epoch = frame.epoch, let key = keyring[epoch],
      let plaintext = frame.openedBody(operation: context.local.operation, key: key)
    else { return nil }
    do {
      let body = try FrameBody(
        decoding: plaintext,
        writesAt: WritePosition(
          operation: context.local.operation, author: author.user, sequence: frame.sequence))
      switch body.contents {
      case .operations(let operations):
        return (body.writtenAt, operations.compactMap(Self.line), false)
      case .part(let index, let count, _):
        return (body.writtenAt, ["part \(index + 1) of \(count)"], true)
      }
    } catch {
      return nil
    }
  }

  private static func line(_ operation: Operation) -> String? {
    switch operation {
    case .write(let write):
      switch write.value {
      case .text(let text): "\(write.field.name): \(text)"
      case .claim(let claim, let note): "\(write.field.name): \(claim) \(note)"
      case .reply(_, let note), .trackerReply(_, let note), .overruling(_, let note, _),
        .relayedClaim(_, let note, _, _), .signOff(let note, _), .signOn(let note):
        "\(write.field.name): \(note)"
      case .accounting(let accounting): "\(write.field.name): \(accounting.note)"
      case .alertReply(let reply): "\(write.field.name): \(reply.note)"
      case .checkIn(let report): "\(write.field.name): \(report.kind.name) \(report.note)"
      case .code, .position, .geometry, .reference, .time, .number, .bytes, .profile, .photo:
        "\(write.field.name)"
      case .mark: write.field == .reportExistence ? nil : "\(write.field.name)"
      case nil: "\(write.field.name) removed"
      }
    case .crossing(let crossing), .trackerCrossing(let crossing, _): "crossing: \(crossing.type)"
    default: nil
    }
  }
}
