internal import MusterModel

/// Frames that wait for their predecessor, or for the signature that proves them. They are kept
/// apart by the peer that sent them, so that forged frames of one peer do not affect another's.
struct Reassembly: Sendable {
  struct Waiting: Sendable {
    let device: DeviceID
    var frames: [UInt64: RunFrame] = [:]
  }

  private(set) var logs: [LogID: [Waiting]] = [:]
  private(set) var counts: [DeviceID: Int] = [:]
  private(set) var total = 0

  /// Stores a frame. Returns false if it is a duplicate or there is no room. A frame that arrived
  /// without its signature may be completed by it.
  mutating func put(_ frame: RunFrame, at sequence: UInt64, of log: LogID, from device: DeviceID)
    -> Bool
  {
    let index = index(of: log, device)
    if let index, let held = logs[log]?[index].frames[sequence] {
      if held.signature == nil, frame.signature != nil {
        logs[log]?[index].frames[sequence] = frame
      }
      return false
    }
    let count = counts[device] ?? 0
    guard
      count < Limits.bufferedFramesReserved
        || (total < Limits.bufferedFramesInAll && count < Limits.bufferedFrames)
    else { return false }
    if let index {
      logs[log]?[index].frames[sequence] = frame
    } else {
      logs[log, default: []].append(Waiting(device: device, frames: [sequence: frame]))
    }
    counts[device, default: 0] += 1
    total += 1
    return true
  }

  private func index(of log: LogID, _ device: DeviceID) -> Int? {
    logs[log]?.firstIndex { $0.device == device }
  }

  /// Returns the peers whose frames of a log wait, in order of arrival.
  func sources(of log: LogID) -> [DeviceID] { logs[log]?.map(\.device) ?? [] }

  /// Returns the waiting frames of a log from one peer, by sequence.
  func frames(of log: LogID, from device: DeviceID) -> [UInt64: RunFrame] {
    index(of: log, device).flatMap { logs[log]?[$0].frames } ?? [:]
  }

  func frame(_ sequence: UInt64, of log: LogID, from device: DeviceID) -> RunFrame? {
    index(of: log, device).flatMap { logs[log]?[$0].frames[sequence] }
  }

  /// Returns how many frames of a range wait.
  func count(of log: LogID, in range: ClosedRange<UInt64>, from device: DeviceID) -> Int {
    guard let index = index(of: log, device), let frames = logs[log]?[index].frames else {
      return 0
    }
    return range.count { frames[$0] != nil }
  }

  /// Removes frames that are stored now.
  mutating func remove(of log: LogID, before next: UInt64) {
    guard let indices = logs[log]?.indices else { return }
    for index in indices.reversed() {
      guard let device = logs[log]?[index].device, let keys = logs[log]?[index].frames.keys else {
        continue
      }
      let old = keys.filter { $0 < next }
      for key in old { logs[log]?[index].frames[key] = nil }
      forget(old.count, of: device)
      if logs[log]?[index].frames.isEmpty == true { logs[log]?.remove(at: index) }
    }
    if logs[log]?.isEmpty == true { logs[log] = nil }
  }

  mutating func remove(of log: LogID, from device: DeviceID) {
    guard let index = index(of: log, device), let waiting = logs[log]?.remove(at: index) else {
      return
    }
    forget(waiting.frames.count, of: device)
    if logs[log]?.isEmpty == true { logs[log] = nil }
  }

  mutating func remove(from device: DeviceID) {
    for log in logs.keys.sorted() { remove(of: log, from: device) }
  }

  private mutating func forget(_ count: Int, of device: DeviceID) {
    total -= count
    counts[device, default: 0] -= count
    if counts[device] == 0 { counts[device] = nil }
  }
}
