internal import MusterModel

/// Receipt of pushed data.
extension SyncEngine {
  mutating func receivePush(_ announce: Announce, of device: DeviceID, by arrival: Arrival) {
    guard !announce.runs.isEmpty || !announce.records.isEmpty else { return }
    var arrival = arrival.covering(announce.covered)
    arrival.multicast = announce.isAnswer ? .answer : .push
    if !announce.records.isEmpty { reconciler.noteRecordPush(at: context.now) }
    if !announce.runs.isEmpty { announcer.quickenForGrowth(context: &context) }
    for run in announce.runs { receive(run, from: device, by: arrival) }
    if !announce.records.isEmpty { receive(announce.records, from: device, by: arrival) }
  }

  mutating func receive(_ push: PushedRecords, from device: DeviceID, by arrival: Arrival) {
    reconciler.noteRecordPush(at: context.now)
    receive(push.records, from: device, by: arrival.covering(push.covered))
  }

  /// Accepts records that are newer than the stored ones, and relays them.
  mutating func receive(_ sent: [LatestRecord], from device: DeviceID, by arrival: Arrival) {
    let fresh = records.receive(sent, from: device, by: arrival, context: &context)
    guard !fresh.isEmpty else { return }
    if fresh.contains(where: { $0.kind == .blobReceipt }) {
      blobs.noteProgressOfCommand(context: &context)
    }
    broadcaster.push(
      .records(fresh), from: device, by: arrival, announcer: &announcer, context: &context)
  }
}
