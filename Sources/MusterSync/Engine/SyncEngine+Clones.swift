public import MusterModel

/// A word to each session of a device, of which one copy of it may know nothing.
struct LifeTelling: Sendable {
  /// Of a record about the device's lives; nil for the roots.
  let topic: RecordTopic?
  let device: DeviceID
  /// The session on which it came, whose end knows it.
  let source: UInt32?
  var next: Instant
  var left = Timing.lifeTellings

  var intervalMilliseconds: Int64 {
    topic == nil ? Timing.rootsTellingMilliseconds : Timing.lifeTellingMilliseconds
  }
}

/// Two copies of a laptop are one device to their peers: each speaks on a session of its own, and
/// is answered where the device was heard last. What tells the one of the other must not go by
/// that, so it is said on every session of the device, a few times; whoever misses all of it learns
/// of it by digests.
///
///     something new of its own on one session ─▶ roots on the others ─▶ a copy asks for it
///         ─▶ and tells of its life, on all sessions ─▶ each has heard of the other: the alarm
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

  /// MUST be called with whoever signed what has just been taken. What a device says is not sent
  /// back to it, so a copy that keeps quiet would learn of it by its own next heartbeat alone.
  ///
  /// Who moved, or has a way by UDP and one over HTTPS, is at several addresses too: so it is said
  /// seldom.
  mutating func tellItsCopies(of certificate: CertificateHash) {
    guard let device = roster[certificate]?.device, let indices = peers[device]?.sessions,
      indices.count > 1, Set(indices.compactMap { sessions[$0]?.endpoint }).count > 1,
      // What others pass on goes to the device as to everybody.
      arrivalSession.map(indices.contains) ?? true,
      !lifeTellings.contains(where: { $0.device == device && $0.topic == nil }),
      lifeTellings.count < Limits.lifeTellings
    else { return }
    let next = now.advanced(byMilliseconds: Timing.rootsTellingFirstMilliseconds)
    lifeTellings.append(LifeTelling(topic: nil, device: device, source: arrivalSession, next: next))
    deadlines.schedule(.lives, at: next)
  }

  mutating func tellLivesThatAreDue() {
    for index in lifeTellings.indices where lifeTellings[index].next <= now {
      let telling = lifeTellings[index]
      say(telling)
      lifeTellings[index].left -= 1
      lifeTellings[index].next = now.advanced(byMilliseconds: telling.intervalMilliseconds)
    }
    lifeTellings.removeAll { $0.left == 0 }
    if let next = lifeTellings.map(\.next).min() { deadlines.schedule(.lives, at: next) }
  }

  private mutating func say(_ telling: LifeTelling) {
    guard let peer = peers[telling.device] else { return }
    var packet = Packet()
    if let topic = telling.topic {
      guard let record = records[topic] else { return }
      packet.records = [record]
    } else {
      packet.roots = shelf.roots()
    }
    for index in peer.sessions where index != telling.source {
      guard let session = sessions[index], let sealed = sessions[index]?.seal(packet.encoded())
      else { continue }
      transmit(sealed, to: .endpoint(session.endpoint, session.link))
    }
  }

  /// The words that a device is in use twice, by topic.
  public var cloneRecords: [LatestRecord] { cloneTopics.sorted().compactMap { records[$0] } }
}
