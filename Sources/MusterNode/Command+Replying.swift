internal import Foundation
internal import MusterModel
internal import MusterReplica

/// Replies that are stored with what a command writes.
extension Command {
  /// Whether its reply is stored with what it writes.
  public var isStoredOnce: Bool {
    if case .setPosition = self { true } else { rowWrite != nil }
  }

  /// Returns the write with the check of its condition before it.
  static func write(
    _ write: @escaping ReplicaWrite, if condition: RowCondition?
  ) -> ReplicaWrite {
    guard let condition else { return write }
    return { replica, now in
      try condition.check(in: &replica, now: now)
      return try write(&replica, now)
    }
  }

  /// Returns the write that stores its reply, and later returns it instead.
  static func once(_ request: RequestKey?, _ write: @escaping ReplicaWrite) -> ReplicaWrite {
    guard let request else { return write }
    return { replica, now in
      let (content, outcome) = try replica.performOnce(request, now: now) { replica in
        try write(&replica, now).reply.stored()
      }
      return (try Reply(stored: content), outcome)
    }
  }
}

extension Reply {
  init(stored content: [UInt8]) throws {
    self = try JSONDecoder().decode(Reply.self, from: Data(content))
  }

  func stored() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}

extension Replica {
  /// Sets the position by hand. A mistyped year is likely, and a fix from the future would hide all
  /// later ones until then. A receiver's time is not compared with this device's clock, which may
  /// be wrong.
  mutating func setPosition(
    _ fix: Fix, once request: RequestKey?, now: ClockReading
  ) throws -> Outcome {
    guard fix.sampleTime.milliseconds(since: now.wall) <= 60_000 else {
      throw NodeError.refused("the time \(fix.sampleTime) is ahead of this device's clock")
    }
    // By this device's clock, as the stated time.
    let age = SampleAge.exactly(
      milliseconds: max(0, now.wall.milliseconds(since: fix.sampleTime)))
    guard let request else {
      return try ingest(fix, as: .published, stepsBack: false, age: age, now: now)
    }
    guard try reply(to: request) == nil else { return Outcome() }
    return try ingest(fix, age: age, replying: Reply.done.stored(), to: request, now: now)
  }
}
