internal import MusterModel

/// Logs to request from one peer, without duplicates: control logs first, round robin within a set.
struct PullQueue: Sendable {
  private var lines = [ArraySlice<LogID>](repeating: [], count: SetID.allCases.count)
  private var members: Set<LogID> = []

  var isEmpty: Bool { members.isEmpty }

  mutating func append(_ log: LogID, of set: SetID) {
    guard members.insert(log).inserted else { return }
    lines[Int(set.rawValue) - 1].append(log)
  }

  mutating func popFirst() -> LogID? {
    for index in lines.indices {
      guard let log = lines[index].popFirst() else { continue }
      members.remove(log)
      return log
    }
    return nil
  }
}
