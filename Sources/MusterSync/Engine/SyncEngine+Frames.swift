internal import MusterModel

/// What follows from stored frames: they are forwarded, and clones of their author are notified.
extension SyncEngine {
  mutating func receive(_ run: Run, from device: DeviceID, by arrival: Arrival) {
    let growth = frames.receive(run, from: device, by: arrival, context: &context)
    noteAccepted()
    guard let growth else { return }
    broadcaster.forward(
      growth, from: device, by: arrival.covering(run.covered), announcer: &announcer,
      context: &context)
  }

  /// Broadcasts frames of this device, which are persisted already.
  mutating func append(_ added: [Frame], opening: Opening) {
    guard let growth = frames.append(added, opening: opening, context: &context) else { return }
    broadcaster.forward(growth, from: nil, by: nil, announcer: &announcer, context: &context)
    announcer.quicken(context: &context)
  }

  mutating func noteAttached(
    _ result: AttachmentResult, to log: LogID, of device: DeviceID
  ) {
    guard
      let held = frames.noteAttached(result, to: log, of: device, context: &context)
    else { return }
    if let opening = held.first?.opening {
      records.clones.notifyOfData(
        by: opening.certificate, from: nil, context: &context)
    }
    announcer.quicken(context: &context)
  }

  /// Notifies the clones of authors whose frames were accepted.
  mutating func noteAccepted() {
    for author in frames.takeAccepted() {
      records.clones.notifyOfData(
        by: author.certificate, from: author.session, context: &context)
    }
  }
}
