/// Every bound on what comes from outside or piles up inside, with its reason.
public enum Limits {
  /// How long a person may be silent before they are out of contact, where settings say nothing.
  public static let usualSilenceMilliseconds: Int64 = 600_000

  // MARK: Datagrams and frames

  /// Fits the IPv6 minimum MTU of 1,280 bytes with IP and UDP headers, and leaves room for a
  /// tunnel's, so that no IP fragment is ever sent.
  public static let datagramBytes = 1200
  /// What IPv4 and UDP add to a datagram.
  public static let headerBytes = 28
  /// A frame pushed alone must fit one datagram, on multicast too: `announcedRunBytes` less the
  /// run's and the frame's own fields (log, sequence, previous hash, epoch, signature: at most
  /// 148), and a few tags of devices.
  public static let frameBodyBytes = 896
  /// A run that is pushed by multicast: 1,200 less the kind, rules version, nonce and tag of the
  /// seal, the announce's signature, certificate, incarnation and counter.
  public static let announcedRunBytes = 1055
  /// Nonce and authentication tag of a sealed body.
  public static let sealOverheadBytes = 40
  /// What an author may put into one frame before sealing.
  public static let framePlaintextBytes = frameBodyBytes - sealOverheadBytes
  /// The parts of one group of entries, joined.
  public static let operationBytes = 64 * 1024
  /// Parts that a receiver joins to one group; an author needs at most 80 for 64 KiB.
  public static let partsPerOperation = 128
  /// Dots have a 16-bit index, and no frame holds more.
  public static let operationsPerFrame = 512
  /// Named people in one group of a directive's entries, half of `operationsPerFrame`.
  public static let namesPerGroup = 256
  /// Sequences stop here, so that they fit the store's row ids.
  public static let lastSequence: UInt64 = (1 << 32) - 1
  /// Lives that one device's database may have: far more than any laptop is restored, and a bound
  /// on what a claim of a later life can do.
  public static let lastGeneration: UInt32 = 1024
  /// Every so many frames a signature is kept and sent, so that no run outgrows a buffer.
  public static let signatureInterval: UInt64 = 32

  /// Branches of one forked log that count: a restored backup or a clone makes one each, so more
  /// are made on purpose, and the log then ends for everybody where it forks first.
  public static let branchesPerLog = 8
  /// Strands of one log that are held, those past the last bound too: proof that there are more
  /// branches than count, and room for finding a fork further down.
  public static let strandsPerLog = 64

  // MARK: Merge

  /// What one write may take away, so that one frame cannot ask for endless work; the rest is left
  /// for the next write.
  public static let supersededDots = 64
  /// Rows that a writer remembers having named in a log, and that a reader remembers of all logs:
  /// beyond it the writer names them in full again, and the reader looks into frames again.
  public static let rowMentions = 32_768
  /// UTF-8 bytes of a title, a name or a callsign.
  public static let lineBytes = 200
  /// UTF-8 bytes of a description, a comment or a note; a quarter of `operationBytes`.
  public static let paragraphBytes = 16 * 1024
  /// 1 is slight, 5 the gravest.
  public static let severity: ClosedRange<UInt8> = 1...5

  /// Of a user's own words, those that one override answers; a user has one, or a few where
  /// several of their devices disagree.
  public static let overruledClaims = 8
  /// Orders and timers that one accounting or sign-off names: all that are open at once for one
  /// person, and a few more.
  public static let seenRows = 32
  /// Devices whose newest positions, or absence, one accounting names; a person has one or two.
  public static let seenPositions = 8
  /// Zones that one directive names: people choose the nearest of a few.
  public static let zonesPerDirective = 32
  /// Open orders that a new one replaces: each replaces those before it, so that there are several
  /// only where commanders issued them at the same time.
  public static let supersededDirectives = 64
  /// A week: dwell times, silences and deadlines beyond it are mistakes.
  public static let spanSeconds: UInt32 = 7 * 86_400
  /// One piece of a track: a hundred fixes and more, in a few frames.
  public static let trackSegmentBytes = 4096

  // MARK: Geometry

  /// Every fix is tested against every fence, so an outline must stay cheap to test.
  public static let verticesPerRing = 1000
  /// Outer rings and holes of one fence together.
  public static let ringsPerFence = 200
  /// All rings of one fence; an outline travels in parts of at most `operationBytes`, and an
  /// unpacked vertex takes eight bytes.
  public static let verticesPerFence = 7000
  /// Half of the Earth's circumference, rounded down.
  public static let circleRadiusCentimetres: UInt32 = 2_000_000_000

  // MARK: Location

  /// Of the own track, the newest fixes that are kept: a month of one each five seconds, in some
  /// 30 MB.
  public static let trackFixes: Int64 = 500_000
  /// Of the ways of all trackers that a node speaks for, the newest fixes that are kept.
  public static let trackerFixes: Int64 = 500_000

  // MARK: Identity

  /// Certificates between a device and the root.
  public static let certificateChain = 4
  /// Command devices that an epoch's control frame seals its key to.
  public static let sealedEpochKeys = 8
  /// Revocations that one epoch shuts out, at 34 bytes each in a record of `operationBytes`.
  public static let excludedRevocations = 1024
  /// Epochs that build on one another: each excludes what those below it do, so that any number of
  /// revocations can be named.
  public static let epochBases = 64
  /// How far an epoch's generation may be above the one before it and still come first: far more
  /// than rotations that a revocation could cut off at once, and so little that nobody gets to the
  /// last generation.
  public static let epochStep: UInt32 = 256
  /// Frames that one release names, at 52 bytes each.
  public static let framesPerRelease = 1024
  /// Logs that one revocation names: more than a device with every life it may have would fill a
  /// record of `operationBytes`, at 52 bytes a log.
  public static let cutsPerRevocation = 1024

  // MARK: Engine

  /// Peers remembered at once; beyond this the one heard longest ago without a session goes.
  public static let peers = 1024
  /// Addresses that were heard in an announce and at which nobody has proved to be yet: enough for
  /// those who come within reach at once.
  public static let heardContacts = 64
  /// Certificates whose announces' counters are remembered, so that no recorded announce counts
  /// twice.
  public static let announcers = 4096
  /// Lives of each of them; of more certificates than `announcers` the one heard longest ago goes.
  public static let livesPerAnnouncer = 4
  /// Addresses of one device that are tried at once: a laptop has few interfaces.
  public static let endpointsPerDevice = 4
  /// Two who call each other at once, each at two addresses, open four sessions, and must agree on
  /// which remain; the older ones end by silence.
  public static let sessionsPerPeer = 4
  /// Up to so many devices everybody keeps a session with everybody; of more each chooses.
  public static let smallMesh = 16
  /// The same where a handshake costs a fifth of what the link carries in a second, or more.
  public static let smallMeshOnNarrowLinks = 4
  /// Certificates under one certificate, its own, theirs and so on, that devices proved themselves
  /// with or peers handed over, and no control log brought: four times the devices of the largest
  /// operation (1,000). What is issued by the root is not counted.
  public static let certificatesPerIssuer = 4096
  /// Certificates that one peer is asked for, and that it asks for, between two heartbeats.
  public static let certificateWants = 256
  /// Addresses of others that one peer is told at once: they fit a datagram.
  public static let introductions = 16
  /// Fresh frames that are pushed; of more only the head is named.
  public static let pushedFrames = 4
  /// Sessions on which one fresh frame is pushed; others get it by its being passed on.
  public static let pushFanOut = 32
  /// Devices that a push names as not to be passed it on to.
  public static let coveredDevices = 48
  /// Fresh frames and records that wait to be passed on by multicast; beyond this the oldest goes.
  public static let relays = 128
  /// Strands of forked logs that have begun to come, or that wait for what they go on from.
  public static let begunStrands = 256
  /// Logs of one peer in which the place of a fork is looked for.
  public static let forkSearches = 64
  /// Begun and not finished; beyond this the oldest is forgotten, so that a flood of them costs no
  /// more memory. As many joiners may be waiting for an answer.
  public static let handshakesInFlight = 256
  /// What may come in answer to leaves without being asked for, in bytes of bodies.
  public static let digestCreditBytes = 16 * 1024
  /// What a node asks of one peer before an answer arrives, as far as it can tell: what a satellite
  /// of several megabits holds, and far more than any radio.
  public static let wantCreditBytes = 512 * 1024
  /// The same in frames, however short they are.
  public static let wantedFrames = 4096
  /// Ranges that one peer may have asked for and not been sent: a log in 64 frames at a time.
  public static let wantsPerPeer = 128
  /// How far ahead of what is held a log is asked for, when several peers send it.
  public static let bufferedFramesPerLog = 4096
  /// Frames of one peer that wait for the signature that proves them, or for the frame before.
  public static let bufferedFrames = 16_384
  /// The same of all peers: 32 MB.
  public static let bufferedFramesInAll = 32_768
  /// Of each peer so many may wait even where that is reached.
  public static let bufferedFramesReserved = 64
  /// Logs that one peer may be asked for even where as many as may be are asked for already.
  public static let pullsReserved = 64
  /// Parts of datagrams that wait for one peer, or for its acknowledgement.
  public static let queuedParts = 1024
  /// Datagrams of which an acknowledgement may still come.
  public static let datagramsRemembered = 1024
  /// Sealed datagrams, announces and handshakes, that wait for a link.
  public static let waitingDatagrams = 64
  /// Network interfaces that are paced.
  public static let links = 64
  /// An uplink's TLS certificate, in DER: a self-signed one of P-256 takes 400.
  public static let uplinkCertificateBytes = 600
  /// Of these, by one command device; earlier ones count.
  public static let uplinkCertificatesPerDevice = 4
  /// Logs held of one certificate and lane: an honest device opens one in each of its lives, ten of
  /// which are many. What a revocation cut off is not counted.
  public static let logsPerLane = 64
  /// Of these, so many are held even where `logs` is reached.
  public static let logsReserved = 2
  /// Logs held at once: 1,000 devices with ten lives have 40,000, the rest is for a few that open
  /// as many as they may.
  public static let logs = 262_144
  /// Heads that one peer showed.
  public static let knownHeads = 65_536
  /// Logs that were offered and of whose author no certificate is known: asked for again with the
  /// next certificate that comes.
  public static let unverifiableLogs = 4096
  /// Logs of which is kept outside of the database how far they were held: a hundred laptops, each
  /// of which began anew ten times. 56 bytes each are written now and then.
  public static let holdings = 4096
  /// Frames past cuts that are held of one certificate: a day's honest work, and no more of what a
  /// thief makes up.
  public static let quarantinedFrames = 4096
  /// Records of one peer whose hashes are remembered.
  public static let knownRecords = 16_384
  /// Logs of which a peer has sent runs that are not known to be held: beyond it no acknowledgement
  /// on that session says any more that what came is held.
  public static let unheldRuns = 64
  /// Receipts by one command device: one for each log of 1,000 devices with ten lives.
  public static let receiptsPerDevice = 40_960
  /// Phones and other trackers whose positions one device publishes.
  public static let trackersPerDevice = 256
  /// Whom one device tells that it hears: in 512 bytes, so that the record fits a datagram.
  public static let neighbours = 64
  /// Other lives of its own device that a life names: the newest that it has heard of.
  public static let livesNamed = 8
  /// Lives of its own device that a program takes note of; each opens logs, so that more are made
  /// on purpose.
  public static let livesHeard = 1024
  /// Lives that a program begins, from its start on, because of another one of its device: two
  /// copies in use must not drive each other on for ever.
  public static let yieldsPerStart = 4
  /// Words that are being told to all sessions of a device, for copies of it.
  public static let lifeTellings = 64
  /// Epochs of one author's frames whose keys are asked for; the next ones when a key has come.
  public static let missingKeysPerAuthor = 16
  /// Epochs that the control plane wants to write under and whose keys are missing.
  public static let wantedEpochs = 16
  /// Epoch keys that are asked for in one packet.
  public static let keyRequests = 32
  /// Alerts that stand at once; beyond it the quietest are left out.
  public static let alerts = 1024
  /// Changes of rows that a node remembers one by one, for readers that were away.
  public static let rememberedChanges = 4096
  /// Entries of the journal of arrivals for records of one author: positions of half a day, at one
  /// each 20 s; 50 bytes each.
  public static let journaledRecords: Int64 = 2048
  /// Datagrams taken into one transaction.
  public static let inputsPerBatch = 256
}
