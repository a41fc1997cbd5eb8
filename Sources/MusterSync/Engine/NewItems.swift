internal import MusterModel

/// What is new in the data, prepared once, since every peer is checked against it.
enum NewItems: Sendable {
  case head(LogID, UInt64)
  case records([LeafHint])

  init(_ fresh: Fresh) {
    switch fresh {
    case .frames(let frames, _, _):
      self = .head(frames[0].strand, frames[frames.count - 1].sequence)
    case .records(let records): self = .records(records.map { LeafHint($0) })
    }
  }

  /// Returns whether a peer has not proved that it holds this, or newer data.
  func areMissing(at device: DeviceID, context: inout Context) -> Bool {
    switch self {
    case .head(let log, let sequence):
      context.peers[device]?.holdings.logs[log].map { $0.sequence < sequence } ?? true
    case .records(let hints):
      hints.contains {
        context.peers[device]?.holdings.records[RecordTopic(raw: $0.key)] != $0.hash
      }
    }
  }
}
