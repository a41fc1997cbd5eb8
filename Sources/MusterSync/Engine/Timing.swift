/// Timer intervals, timeouts and attempt limits of the engine.
enum Timing {
  /// Multicast announces: I_min and I_max of RFC 6206.
  static let announceFirstMilliseconds: Int64 = 1000
  static let announceLastMilliseconds: Int64 = 64_000
  /// New data of this device shortens the interval at most this often.
  static let announceSpacingMilliseconds: Int64 = 4000
  /// After new data of other devices the next announce is due within this.
  static let announceGrowthMilliseconds: Int64 = 10_000
  /// A new head, or this device's position, is named in this many announces; after that roots
  /// suffice.
  static let announceNamings = 4
  /// The redundancy constant k of RFC 6206, and the maximum number of consecutive suppressions.
  static let announceRedundancy = 12
  static let announceSuppressions = 8
  /// How often the position in the ring of a large mesh is re-evaluated.
  static let placeMilliseconds: Int64 = 8000
  /// A device whose announce was received within this time is assumed to receive ours.
  static let announceServesMilliseconds: Int64 = 160_000
  /// The same in a large mesh, where most announces are suppressed.
  static let announceServesManyMilliseconds: Int64 = 900_000
  /// An address from which an unknown device announced counts as one device for so long.
  static let strangerMilliseconds: Int64 = 120_000
  /// The shortest and the longest interval between multicasts of a device that is assumed. A device
  /// that was not received for two of its intervals is absent.
  static let announceIntervals: ClosedRange<Int64> = 64_000...450_000
  /// The interval of root comparisons on a session: short after its start or a difference, then
  /// longer. None while the peer's announces are received.
  static let heartbeatFirstMilliseconds: Int64 = 1000
  static let heartbeatLastMilliseconds: Int64 = 64_000
  /// The longest interval on a path that may pass a NAT, which commonly forgets a mapping that was
  /// unused for 30 s; and per peer on such a path, so that many cost at most a datagram in 3 s.
  static let heartbeatThroughNATMilliseconds: Int64 = 30_000
  static let heartbeatMillisecondsPerPeer: Int64 = 4000
  /// Of several sessions with one peer, one whose last datagram is this much older may still be the
  /// one that both sides use.
  static let settlingMilliseconds: Int64 = 2000
  /// A larger jump of the wall clock means that it was set.
  static let clockStepMilliseconds: UInt64 = 30_000
  /// When a difference is checked again.
  static let recheckMilliseconds: Int64 = 4000
  /// A peer that was silent for this long must answer the heartbeat.
  static let quietMilliseconds: Int64 = 96_000
  /// A session without a received datagram for this long is closed. Probes cost less than new
  /// handshakes, and a path with 90 % loss is silent for minutes.
  static let silenceMilliseconds: Int64 = 600_000
  /// The same for a redundant session: both sides use another one.
  static let spareMilliseconds: Int64 = 200_000
  /// The timeout of a joiner's session.
  static let joinerMilliseconds: Int64 = 30_000
  /// Intervals of the first probes, and of the later ones. After the last of the first, other paths
  /// are tried.
  static let probeMilliseconds: [Int64] = [1000, 500, 500, 1000]
  static let probeLastMilliseconds: Int64 = 8000
  /// A deadline that is processed this late means that the device was suspended.
  static let sleepMilliseconds: Int64 = 20_000
  /// The timeout of a handshake: on a lossy path each of its messages is retransmitted many times.
  static let handshakeMilliseconds: Int64 = 30_000
  /// The retransmission interval of handshake messages, doubling from the first to the last.
  static let handshakeFirstMilliseconds: Int64 = 250
  static let handshakeLastMilliseconds: Int64 = 2000
  /// The maximum number of unprompted retransmissions, which bounds the effect of a replayed
  /// initiation.
  static let handshakeAttempts = 8
  /// A missing answer of a device received within this time indicates loss.
  static let aboutMilliseconds: Int64 = 30_000
  /// The retry interval of a known address without a session, doubling from the first to the last.
  static let contactFirstMilliseconds: Int64 = 1000
  static let contactLastMilliseconds: Int64 = 15_000
  /// When it is checked again whether a peer that does not answer on its session is to be called,
  /// although its announces are received.
  static let receivedCallMilliseconds: Int64 = 60_000
  /// The retry interval of a device with another rules version, in case it was updated. Its first
  /// announce shows that sooner.
  static let otherRulesMilliseconds: Int64 = 600_000
  /// The retry interval of an address at which this device reached itself.
  static let ownAddressMilliseconds: Int64 = 120_000
  /// The rate limit of all connection attempts: the interval, the interval without any peer, and
  /// the burst.
  static let callMilliseconds: Int64 = 12_000
  static let lonelyCallMilliseconds: Int64 = 1000
  /// Part of the burst that only neighbours in range may use, so that hundreds of remembered
  /// addresses that do not answer cannot delay a connection to one that does.
  static let callReserveMilliseconds: Int64 = 24_000
  static let callBurst: Int64 = 16
  /// The maximum random delay before a connection to an announcer, so that not all connect at once.
  static let contactHintMilliseconds: Int64 = 400
  /// The number of attempts for an unauthenticated address.
  static let contactHintAttempts = 3
  /// A pull without progress for this long is requested again.
  static let pullMilliseconds: Int64 = 1000
  static let pullAttempts = 6
  /// The maximum number of doublings of that timeout; longer would lose more than it saves.
  static let pullDoublings = 2
  /// The minimum interval of digests to one peer when only roots differ. It doubles while neither
  /// side's roots change.
  static let digestMilliseconds: Int64 = 200
  /// On narrow and congested links, and on uplinks: after this long without a position, the next
  /// one may be far off.
  static let recordsAtRestMilliseconds: Int64 = 10_000
  /// While positions arrive, comparisons at this interval find what new neighbours are missing.
  static let recordsWithoutRoomMilliseconds: Int64 = 120_000
  static let digestRepeatMilliseconds: Int64 = 1000
  /// What each device of a crowd does takes one part in so many of the links' capacity: digest
  /// exchanges, and announces of what others wrote.
  static let shareOfCrowd: Int64 = 8
  /// A digest exchange of records takes about as long as so many datagrams of usual size.
  static let digestDatagrams: Int64 = 5
  static let digestDoublings = 6
  /// How long one peer may push unrequested data.
  static let grantMilliseconds: Int64 = 1000
  /// The maximum random wait before a multicast relay: a base, an increment per receiver on the
  /// link, and an upper bound of both.
  static let relayMilliseconds: Int64 = 10
  static let relayMillisecondsPerPeer: Int64 = 2
  static let relayLastMilliseconds: Int64 = 400
  /// Upper bounds of the wait where relays by all receivers would take longer.
  static let urgentRelayLastMilliseconds: Int64 = 2000
  static let relayLastInCrowdsMilliseconds: Int64 = 5000
  /// The same where each receiver has a copy already: no device waits for it.
  static let furtherCopyLastMilliseconds: Int64 = 30_000
  /// How long after a multicast answer those who ask for the same are answered on their sessions.
  static let answersAloneMilliseconds: Int64 = 60_000
  /// How often urgent data of this device is repeated on shared links while no relay is received.
  static let urgentRepeats: Int64 = 3
  /// The greatest number of copies that a receiver is sent where many datagrams are lost.
  static let mostCopies = 6
  /// If sessions lose no more than this, one multicast of what is repaired soon suffices.
  static let reliableLossPercent = 5
  /// Positions wait longer, so that fewer are relayed twice: the next ones follow, and announces
  /// name them too.
  static let recordRelayMillisecondsPerPeer: Int64 = 16
  /// How often, and at which interval, incarnation records are repeated on all sessions of a
  /// device.
  static let cloneNotices = 3
  static let cloneNoticeMilliseconds: Int64 = 2000
  /// The same for roots: soon, to cover data that arrives together, and then so rarely that a
  /// device that moved or has two paths pays little, while some arrive within half a minute.
  static let firstRootsNoticeMilliseconds: Int64 = 1000
  static let rootsNoticeMilliseconds: Int64 = 8000
  /// The minimum interval of address exchanges with one peer.
  static let introductionMilliseconds: Int64 = 30_000
  /// The minimum interval of answers to probes.
  static let answerMilliseconds: Int64 = 100
  /// The minimum interval of path challenges on one session.
  static let challengeMilliseconds: Int64 = 200
  /// The minimum validity of a cookie.
  static let cookieMilliseconds: Int64 = 60_000
  /// How long a peer may be missing something without a request, or advertise something without
  /// delivery, until it is reported as stalled: with the longest heartbeats, within ten minutes.
  static let stallMilliseconds: Int64 = 420_000
  /// So many datagrams of each device of a crowd take their time besides, in which each exchanges
  /// what it is missing.
  static let stallDatagrams: Int64 = 300
  /// A stall is only reported while datagrams arrive without a longer gap than this, which is at
  /// least two lost heartbeats. Nothing can be concluded about a peer that is unreachable or
  /// suspended.
  static let steadyMilliseconds: Int64 = 200_000
}
