import MusterModel
import MusterSync

/// What a node has on its disk, and the rules by which it may be added to.
struct TestLogIndex: Equatable {
  var openings: [LogID: Opening] = [:]
  var frames: [LogID: [Frame]] = [:]
  var records: [RecordTopic: LatestRecord] = [:]
  var keys: [EpochID: EpochKey] = [:]
  var contacts: [Endpoint: DeviceID] = [:]

  /// What is wrong with adding these frames; nil when they were added.
  mutating func add(_ new: [Frame], opening: Opening, operation: OperationID) -> String? {
    guard let log = new.first?.log, new.last?.signature != nil else { return "an unproved run" }
    if let known = openings[log], known != opening { return "another opening" }
    var held = frames[log] ?? []
    for frame in new {
      guard frame.log == log, frame.sequence == UInt64(held.count),
        frame.previous == held.last?.hash ?? .none,
        frame.computedHash(operation: operation) == frame.hash
      else { return "frame \(frame.sequence) after \(held.count) frames" }
      held.append(frame)
    }
    openings[log] = opening
    frames[log] = held
    return nil
  }

  func read(_ request: FetchRequest) -> [Frame] {
    var (answer, bytes): ([Frame], Int) = ([], 0)
    for frame in (frames[request.log] ?? []).dropFirst(Int(request.from))
      .prefix(request.maxFrames)
    {
      bytes += frame.body.count
      guard answer.isEmpty || bytes <= request.maxBytes else { break }
      answer.append(frame)
    }
    return answer
  }

  var summaries: [LogSummary] {
    frames.keys.sorted().compactMap { log in
      guard let opening = openings[log], let last = frames[log]?.last else { return nil }
      return LogSummary(
        opening: opening, head: Head(log: log, sequence: last.sequence, hash: last.hash))
    }
  }

  /// What converges: every frame's hash, and the newest records. Which signatures are kept may
  /// differ from node to node.
  var contents: Contents {
    Contents(logs: frames.mapValues { $0.map(\.hash) }, records: records)
  }

  struct Contents: Equatable {
    var logs: [LogID: [FrameHash]]
    var records: [RecordTopic: LatestRecord]
  }

  /// Certificates that count: those whose chain of issuers ends at the root.
  func roster(of operation: OperationID, own: [SignedCertificate]) -> Roster {
    var known = own
    var grew = true
    let control = frames.filter { openings[$0.key]?.lane == .control }
    while grew {
      grew = false
      let roster = Roster(known)
      for log in control.keys.sorted() {
        guard let issuer = openings[log]?.certificate, issuer == .root || roster[issuer] != nil
        else { continue }
        for certificate in Self.certificates(in: frames[log] ?? [])
        where certificate.certificate.issuer == issuer && roster[certificate.hash] == nil {
          known.append(certificate)
          grew = true
        }
      }
    }
    return Roster(known)
  }

  private static func certificates(in frames: [Frame]) -> [SignedCertificate] {
    frames.dropFirst().flatMap { frame -> [SignedCertificate] in
      do {
        guard
          case .operations(let operations) = try FrameBody(decoding: frame.body, writesAt: nil)
            .contents
        else { return [] }
        return operations.compactMap { if case .certificate(let it) = $0 { it } else { nil } }
      } catch {
        return []
      }
    }
  }
}
