/// How long the engine waits for what.
enum Timing {
  /// Announces by multicast: RFC 6206's I_min and I_max.
  static let announceFirstMilliseconds: Int64 = 1000
  static let announceLastMilliseconds: Int64 = 64_000
  /// A writer's own news shorten the interval at most this often.
  static let announceSpacingMilliseconds: Int64 = 4000
  /// After others' news the next announce comes within this.
  static let announceGrowthMilliseconds: Int64 = 10_000
  /// A new head, or an own position, is named in so many announces; then roots have to do.
  static let announceNamings = 4
  /// RFC 6206's k: who heard so many that say the same keeps quiet, but not for ever.
  static let announceRedundancy = 12
  static let announceSuppressions = 8
  /// Where somebody stands in a large mesh is looked at this often.
  static let placeMilliseconds: Int64 = 8000
  /// Whoever announced this recently hears us too, as far as anybody can tell.
  static let announceServesMilliseconds: Int64 = 160_000
  /// The same where so many announce that most of them keep quiet.
  static let announceServesManyMilliseconds: Int64 = 900_000
  /// Roots are compared on a session this often: soon after it began or something differed, then
  /// less; never while the peer's announces serve.
  static let heartbeatFirstMilliseconds: Int64 = 1000
  static let heartbeatLastMilliseconds: Int64 = 64_000
  /// Of several sessions with one peer, one on which it was heard so much earlier than on another
  /// may still be the one that both speak on.
  static let settlingMilliseconds: Int64 = 2000
  /// A wall clock that jumps further was set.
  static let clockStepMilliseconds: UInt64 = 30_000
  /// Whether a difference was mended is looked at after this.
  static let recheckMilliseconds: Int64 = 4000
  /// Who has not been heard for so long is asked to answer the heartbeat.
  static let quietMilliseconds: Int64 = 96_000
  /// A session on which nothing came for so long is dead. Probing it costs less than calls would,
  /// and a way that loses nine in ten is silent for minutes.
  static let silenceMilliseconds: Int64 = 600_000
  /// The same of one of several with a device: both sides have settled on another.
  static let spareMilliseconds: Int64 = 200_000
  /// A joiner waits for one answer.
  static let joinerMilliseconds: Int64 = 30_000
  /// Who was told something and says nothing is probed after these, and then every
  /// `probeLastMilliseconds`. After the last of them other paths are tried.
  static let probeMilliseconds: [Int64] = [1000, 500, 500, 1000]
  static let probeLastMilliseconds: Int64 = 8000
  /// A laptop that had a deadline and came this late to it was asleep.
  static let sleepMilliseconds: Int64 = 20_000
  /// How long a handshake may take: on a bad way each of its messages is said many times.
  static let handshakeMilliseconds: Int64 = 30_000
  /// A message of it that is not answered is said again after this, doubling.
  static let handshakeFirstMilliseconds: Int64 = 250
  static let handshakeLastMilliseconds: Int64 = 2000
  /// So often without being asked to, so that a recorded one brings little out.
  static let handshakeAttempts = 8
  /// Who was heard so lately does not answer because words are lost.
  static let aboutMilliseconds: Int64 = 30_000
  /// A known address without a session is tried again after this, doubling.
  static let contactFirstMilliseconds: Int64 = 1000
  static let contactLastMilliseconds: Int64 = 15_000
  /// A device with other rules is tried again after so long, in case it was updated meanwhile: its
  /// first announce shows it sooner.
  static let otherRulesMilliseconds: Int64 = 600_000
  /// An address at which this device met itself is tried again after so long.
  static let ownAddressMilliseconds: Int64 = 120_000
  /// All calls together: so many at once, and then one each so often; more often by somebody who
  /// is alone and has nothing else to say.
  static let callMilliseconds: Int64 = 12_000
  static let lonelyCallMilliseconds: Int64 = 1000
  static let callBurst: Int64 = 16
  /// An announcer is called after a random wait up to this, so that not all call at once.
  static let heardContactMilliseconds: Int64 = 400
  /// An address that was only heard is tried so often.
  static let heardContactAttempts = 3
  /// A pull without progress for so long is asked for again.
  static let pullMilliseconds: Int64 = 1000
  static let pullAttempts = 6
  /// Each time it waits twice as long, so often; longer would lose more than it spares.
  static let pullDoublings = 2
  /// Digests go to one peer at most this often when only roots differ, and half as often each time
  /// while neither side's roots change.
  static let digestMilliseconds: Int64 = 200
  /// On narrow and full links: where no position has come for so long, the next one may be far off.
  static let recordsAtRestMilliseconds: Int64 = 10_000
  /// While they come, a comparison mends what those who met late lack.
  static let recordsWithoutRoomMilliseconds: Int64 = 120_000
  static let digestRepeatMilliseconds: Int64 = 1000
  static let digestDoublings = 6
  /// One peer at a time is told that it may send what is lacked without being asked.
  static let grantMilliseconds: Int64 = 1000
  /// A fresh frame is passed on by multicast after a random wait of this and, for each who was
  /// heard on the link, so much more; at most so long.
  static let relayMilliseconds: Int64 = 10
  static let relayMillisecondsPerPeer: Int64 = 2
  static let relayLastMilliseconds: Int64 = 400
  static let relayLastOnNarrowLinksMilliseconds: Int64 = 5000
  /// RFC 6206's k for what is passed on: who heard so many copies keeps quiet.
  static let relayRedundancy = 2
  /// Where sessions lose no more than this, whoever announces is taken to hear a multicast.
  static let sureHearingLossPercent = 5
  /// Positions have more time, so that fewer are passed on twice: the next ones are on their way,
  /// and announces name them too.
  static let recordRelayMillisecondsPerPeer: Int64 = 16
  /// All sessions of a device are told of its lives so often, with so much time between.
  static let lifeTellings = 3
  static let lifeTellingMilliseconds: Int64 = 2000
  /// The same of roots: soon, for more that comes at once, and then so seldom that who moved or has
  /// two ways pays next to nothing, and yet some arrive within half a minute.
  static let rootsTellingFirstMilliseconds: Int64 = 1000
  static let rootsTellingMilliseconds: Int64 = 8000
  /// Addresses of peers are told to one peer at most this often.
  static let introductionMilliseconds: Int64 = 30_000
  /// A probe is answered at most this often.
  static let answerMilliseconds: Int64 = 100
  /// Between two challenges on one session.
  static let challengeMilliseconds: Int64 = 200
  /// How long a cookie holds, at least.
  static let cookieMilliseconds: Int64 = 60_000
  /// For how long a peer may lack something and ask for nothing, or hold something and hand nothing
  /// over, until people are told: with the longest heartbeats, within ten minutes.
  static let standstillMilliseconds: Int64 = 420_000
  /// Only while its words come with no longer gaps than this, of at least two lost heartbeats: of
  /// whoever is out of reach, or asleep, nobody can tell what it asks for.
  static let steadyMilliseconds: Int64 = 200_000
}
