package import MusterModel

extension SyncEngine {
  /// Sends unverified frames and records to every peer without storing them, as a modified program
  /// would. For simulated forgers only; not accessible outside the package.
  package mutating func push(
    unchecked frames: [Frame], records: [LatestRecord], now: ClockReading
  ) -> [Effect] {
    for device in context.peers.connected {
      for frame in frames {
        var packet = Packet()
        packet.runs = [
          Run(
            log: frame.strand, first: frame.sequence, previous: nil,
            frames: [RunFrame(epoch: frame.epoch, body: frame.body, signature: frame.signature)])
        ]
        context.outbox.add(packet, importance: .control, to: device)
      }
      for record in records { context.outbox.add(record, to: device) }
    }
    return handle(.deadlinePassed, now: now)
  }

  /// Sends unverified runs of several frames each.
  package mutating func push(uncheckedRuns runs: [[Frame]], now: ClockReading) -> [Effect] {
    for device in context.peers.connected {
      for frames in runs {
        var packet = Packet()
        packet.runs = [Run(frames, of: frames[0].strand, after: .none)]
        context.outbox.add(packet, importance: .control, to: device)
      }
    }
    return handle(.deadlinePassed, now: now)
  }
}
