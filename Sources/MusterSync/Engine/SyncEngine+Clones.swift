public import MusterModel

/// A word about a device's lives, on its way to each of its sessions.
struct LifeTelling: Sendable {
  let topic: RecordTopic
  let device: DeviceID
  /// The session on which it came, whose end knows it.
  let source: UInt32?
  var next: Instant
  var left = Timing.lifeTellings
}

/// Two copies of a laptop are one device to their peers: each speaks on a session of its own, and
/// is answered where the device was heard last. What tells the one of the other must not go by
/// that, so it is said on every session of the device, a few times; whoever misses all of it learns
/// of it by digests.
extension SyncEngine {
  /// MUST be called with each record that was taken; does nothing with those about other things.
  mutating func tellItsLives(_ record: LatestRecord) {
    guard record.kind.isAboutLives, let device = roster[record.certificate]?.device,
      device != local.device
    else { return }
    lifeTellings.removeAll { $0.topic == record.topic }
    if lifeTellings.count >= Limits.lifeTellings { lifeTellings.removeFirst() }
    lifeTellings.append(
      LifeTelling(topic: record.topic, device: device, source: arrivalSession, next: now))
    tellLivesThatAreDue()
  }

  mutating func tellLivesThatAreDue() {
    for index in lifeTellings.indices where lifeTellings[index].next <= now {
      let telling = lifeTellings[index]
      say(telling)
      lifeTellings[index].left -= 1
      lifeTellings[index].next = now.advanced(byMilliseconds: Timing.lifeTellingMilliseconds)
    }
    lifeTellings.removeAll { $0.left == 0 }
    if let next = lifeTellings.map(\.next).min() { deadlines.schedule(.lives, at: next) }
  }

  private mutating func say(_ telling: LifeTelling) {
    guard let record = records[telling.topic], let peer = peers[telling.device] else { return }
    var packet = Packet()
    packet.records = [record]
    for index in peer.sessions where index != telling.source {
      guard let session = sessions[index], let sealed = sessions[index]?.seal(packet.encoded())
      else { continue }
      transmit(sealed, to: .endpoint(session.endpoint, session.link))
    }
  }

  /// The words that a device is in use twice, by topic.
  public var cloneRecords: [LatestRecord] { cloneTopics.sorted().compactMap { records[$0] } }
}
