/// Every bound on received and accumulated data, with its reason.
public enum Limits {
  /// The default silence setting, after which a person is out of contact.
  public static let usualSilenceMilliseconds: Int64 = 600_000

  // MARK: Datagrams and frames

  /// Fits the IPv6 minimum MTU of 1,280 bytes with IP and UDP headers, and leaves room for the
  /// headers of a tunnel, so that no IP packet is fragmented.
  public static let datagramBytes = 1200
  /// Received, and sent on a path that carried one (docs/decisions/0080-copies-of-photos.md): with
  /// IPv6 and UDP headers a packet of 1,500 bytes.
  public static let largestDatagramBytes = 1452
  /// What IPv4 and UDP add to a datagram.
  public static let headerBytes = 28
  /// A frame that is pushed alone must fit one datagram, on multicast too: `announcedRunBytes`
  /// minus the fields of the run and the frame (log, sequence, previous hash, epoch, signature: at
  /// most 148) and a few device tags.
  public static let frameBodyBytes = 896
  /// A run that is pushed by multicast: 1,200 minus the kind, rules version, nonce and tag of the
  /// seal, and the announce's signature, certificate, incarnation and counter.
  public static let announcedRunBytes = 1055
  /// The nonce and authentication tag of a sealed body.
  public static let sealOverheadBytes = 40
  /// The plaintext bytes of one frame.
  public static let framePlaintextBytes = frameBodyBytes - sealOverheadBytes
  /// The joined parts of one group of entries.
  public static let operationBytes = 64 * 1024
  /// Parts that a receiver joins to one group; an author needs at most 80 for 64 KiB.
  public static let partsPerOperation = 128
  /// Dots have a 16-bit index, and no frame can hold more.
  public static let operationsPerFrame = 512
  /// Named people in one group of a directive's entries, half of `operationsPerFrame`.
  public static let namesPerGroup = 256
  /// The last sequence of a log, so that sequences fit the store's row ids.
  public static let lastSequence: UInt64 = (1 << 32) - 1
  /// Incarnations of one device's database: far more than any device is restored, and a bound on
  /// the effect of a claimed later incarnation.
  public static let lastGeneration: UInt32 = 1024
  /// A signature is stored and sent at least once in so many frames, so that no run overflows a
  /// buffer.
  public static let signatureInterval: UInt64 = 32

  /// Branches of one forked log that count. A restored backup or a clone creates one each, so more
  /// are deliberate; the log then ends for all nodes at its first fork.
  public static let branchesPerLog = 8
  /// Strands of one log that are held, including those beyond the previous limit: they prove that
  /// there are too many branches, and allow a search for deeper forks.
  public static let strandsPerLog = 64

  // MARK: Merge

  /// Dots that one write may supersede, so that one frame cannot cause unbounded work; the next
  /// write supersedes the rest.
  public static let supersededDots = 64
  /// Rows that a writer remembers naming in a log, and that a reader remembers of all logs. Beyond
  /// it the writer names them in full again, and the reader reads frames again.
  public static let rowMentions = 32_768
  /// UTF-8 bytes of a title, a name or a callsign.
  public static let lineBytes = 200
  /// UTF-8 bytes of a description, a comment or a note; a quarter of `operationBytes`.
  public static let paragraphBytes = 16 * 1024
  /// 1 is slight, 5 the gravest.
  public static let severity: ClosedRange<UInt8> = 1...5

  /// A user's own claims that one override answers: a user has one, or a few if their devices
  /// disagree.
  public static let overruledClaims = 8
  /// Orders and timers that one accounting or sign-off names: all that are open at once for one
  /// person, with some reserve.
  public static let seenRows = 32
  /// Devices whose newest positions, or absence, one accounting names; a person has one or two.
  public static let seenPositions = 8
  /// Fixes of earlier records that one position carries: the last fine one, and the coarse ones
  /// after it that show danger.
  public static let earlierFixes = 4
  /// Zones that one directive names: people choose the nearest of a few.
  public static let zonesPerDirective = 32
  /// Open orders that a new one supersedes. Each supersedes the earlier ones, so several exist only
  /// if commanders issued them concurrently.
  public static let supersededDirectives = 64
  /// One week: longer dwell times, silences and deadlines are mistakes.
  public static let spanSeconds: UInt32 = 7 * 86_400
  /// The shortest time without movement of which a check-in may ask: positions are published every
  /// half minute.
  public static let leastStillSeconds: UInt32 = 60
  /// Rules of one zone that count; a device refuses to add more.
  public static let rulesPerZone = 16
  /// The largest number of people that a zone's rule may name.
  public static let zoneRulePeople: UInt32 = 10_000
  /// The largest distance in metres that a zone's rule may name.
  public static let zoneRuleMetres: UInt32 = 100_000
  /// Emergency contacts that count; a device refuses to add more.
  public static let contacts = 32
  /// UTF-8 bytes of the name of an emergency contact.
  public static let contactNameBytes = 80
  /// A phone number with spaces and brackets.
  public static let phoneBytes = 32
  /// Numbers that are shown of a contact that several commanders changed concurrently.
  public static let phonesPerContact = 4
  /// Emergency contacts that one alert shows.
  public static let contactsPerAlert = 3
  /// The name of a data set of records, as in Cognito Sync.
  public static let recordDatasetBytes = 128
  /// The key of a record, as in Cognito Sync.
  public static let recordKeyBytes = 1024
  /// UTF-8 bytes of a record's value; a quarter of `operationBytes`.
  public static let recordValueBytes = 16 * 1024
  /// The greatest sync count, which every number in JSON can hold.
  public static let recordSyncCount: UInt64 = 1 << 53
  /// Data sets of one user, as in Cognito Sync; a device refuses to add more.
  public static let recordDatasets = 20
  /// Records of one data set that are not removed, as in Cognito Sync; a device refuses to add
  /// more.
  public static let recordsPerDataset = 1024
  /// Records of one user, removed ones included; a device refuses to add more.
  public static let recordsPerUser = 32_768
  /// Keys and values of one data set in UTF-8, as in Cognito Sync; a device refuses to add more.
  public static let recordDatasetStorage = 1 << 20
  /// The days whose keys one exposure report names.
  public static let exposureDays = 14
  /// UTF-8 bytes of the text of an exposure report or notice.
  public static let exposureTextBytes = 160
  /// Exposure notices that count: those with the least ids; a device refuses to publish more.
  public static let exposureNotices = 32
  /// The notices that the author of a proximity note withdrew, and that it names.
  public static let exposureWithdrawals = 4
  /// The length of every proximity note before it is sealed.
  public static let proximityNoteBytes = 2048
  /// Command devices that one proximity note is sealed to.
  public static let noteRecipients = 16
  /// Sessions that one proximity note names, if there is room for their names.
  public static let noteSessions = 100
  /// Names that one session of a proximity note has.
  public static let namesPerSession = 6
  /// UTF-8 bytes of what the caller of an unverified call wrote, and of the reason why command
  /// closed it: it fits a few frames, and the note of the call for help that may follow.
  public static let unverifiedNoteBytes = 1024
  /// Messages of an unverified call that its entry counts.
  public static let unverifiedMessages: UInt32 = 1_000_000
  /// Open unverified calls that one device keeps apart, by credential; as many again of removed
  /// logins, whose tokens cannot be invented. The newest of further ones shares one row.
  public static let unverifiedCallsPerDevice = 64
  /// Rows of unverified calls that one device creates of each of the two kinds, ended calls
  /// included.
  public static let unverifiedRowsPerDevice = 1024
  /// Unverified calls that are shown; the rest is counted.
  public static let shownUnverifiedCalls = 16
  /// One segment of a track: over a hundred fixes, in a few frames.
  public static let trackSegmentBytes = 4096
  /// The field of each check-in that only command can read: `DuressField` in `MusterCrypto`.
  public static let sealedCallBytes = 160

  // MARK: Geometry

  /// Every fix is tested against every fence, so an outline must stay cheap to test.
  public static let verticesPerRing = 1000
  /// Outer rings and holes of one fence together.
  public static let ringsPerFence = 200
  /// All rings of one fence. An outline is sent in parts of at most `operationBytes`, and an
  /// unpacked vertex takes eight bytes.
  public static let verticesPerFence = 7000
  /// Half of the Earth's circumference, rounded down.
  public static let circleRadiusCentimetres: UInt32 = 2_000_000_000

  // MARK: Location

  /// The newest fixes of this device's track that are kept: a month at one each five seconds, about
  /// 30 MB.
  public static let trackFixes: Int64 = 500_000
  /// The newest fixes that are kept of all trackers that a node records.
  public static let trackerFixes: Int64 = 500_000

  // MARK: Logins

  /// Reports that a login may still correct and withdraw: the newest that it filed.
  public static let reportsPerLogin = 256

  // MARK: Idempotency keys

  /// Stored replies to requests of one caller: more than a phone can write in an outage.
  public static let repliesPerCaller: Int64 = 4096
  /// The newest of these, which are not deleted by age.
  public static let repliesKept: Int64 = 1024
  /// How long a reply is stored, unless its caller has too many.
  public static let replyMilliseconds: Int64 = 7 * 24 * 3_600_000
  /// Stored replies of all callers, give or take 64; the oldest are deleted first.
  public static let replies: Int64 = 65_536

  // MARK: Identity

  /// Certificates between a device and the root.
  public static let certificateChain = 4
  /// Command devices for which an epoch's control frame seals the key.
  public static let sealedEpochKeys = 8
  /// Revocations that one epoch excludes, at 34 bytes each in a record of `operationBytes`.
  public static let excludedRevocations = 1024
  /// The length of a chain of epochs. Each excludes what its bases exclude, so that any number of
  /// revocations can be named.
  public static let epochBases = 64
  /// How far an epoch's generation may exceed the previous one and still come first: far more than
  /// the rotations that one revocation can cut off, and small enough that no attacker reaches the
  /// last generation.
  public static let epochStep: UInt32 = 256
  /// Frames that one release names, at 52 bytes each.
  public static let framesPerRelease = 1024
  /// Logs that one revocation names: a device with every possible incarnation has more, but they
  /// would fill a record of `operationBytes`, at 52 bytes a log.
  public static let cutsPerRevocation = 1024

  /// Certificates that one revocation or vote keeps, at 32 bytes each: more than the devices of the
  /// largest operation, and as many as fit `operationBytes` with the cuts of a vote.
  public static let keptCertificates = 1800

  // MARK: Councils

  /// Members of a council: with fewer than three no member could be outvoted.
  public static let councilMembers: ClosedRange<Int> = 3...15
  /// Revoked devices that a new council of the root names as staying revoked.
  public static let councilStays = 16
  /// Councils that one member endorses under one council; one who endorses more counts as
  /// endorsing each.
  public static let endorsementsPerMember = 8
  /// Votes of one member about one device in one council; of one who casts more, all frames of the
  /// device are excluded.
  public static let votesPerTarget = 4
  /// Logs that one vote names: every lane of ten incarnations, and more.
  public static let cutsPerVote = 64

  // MARK: Photos

  /// The original of a photo: a camera's picture at 2,048 pixels takes 1 MB, and its path in the
  /// Merkle tree fits a datagram.
  public static let blobBytes = 8 << 20
  /// The thumbnail of a photo: two units.
  public static let thumbnailBytes = 24 << 10
  /// Width and height of a photo.
  public static let photoPixels = 1...16_384
  /// Blobs that one frame lists: the original and the thumbnail of one photo.
  public static let blobsPerFrame = 2
  /// The body of a frame with a blob list, so that both fit a multicast push like a body alone.
  public static let listedBodyBytes = frameBodyBytes - blobsPerFrame * 37 - 6
  /// Photos of one report that a node shows and lets its user add.
  public static let photosPerReport = 64
  /// Marks of one author on one photo that count; a device refuses to draw more.
  public static let marksPerPhoto = 64
  /// Points of a line that is drawn over a photo.
  public static let photoMarkPoints = 64
  /// The text of a mark on a photo.
  public static let photoMarkTextBytes = 120
  /// Blobs of one certificate that are fetched, as originals and thumbnails together.
  public static let blobsPerCertificate = 8192
  /// Bytes of one certificate's blobs that are fetched.
  public static let blobBytesPerCertificate = 2 << 30
  /// Blobs about which a node queries its peers at one time: as many as a peer keeps queries of.
  public static let activeBlobs = 64
  /// Of these, the places for other authors while no peer holds the rest.
  public static let activeBlobsOfOthers = 16
  /// Beyond so many, only while they have at most `activeUnits` together, as thumbnails have.
  public static let activeLargeBlobs = 16
  /// Units of all active blobs, beyond which only `activeLargeBlobs` are active.
  public static let activeUnits = 320
  /// Blobs about which a peer has queried this node, and of whose units it is notified.
  public static let queriedBlobs = 64
  /// Blobs of one connected peer that are remembered as complete.
  public static let completeBlobs = 4096
  /// Blobs that a receipt for the blobs of a log excepts.
  public static let blobExceptions = 16
  /// Blobs that are deleted in one review.
  public static let blobsPerReview = 64
  /// Originals that a device fetches because peers are missing them; `queriedBlobs` for one peer.
  public static let requestedBlobs = 1024
  /// Units that are being received: 16 KiB of leaves each.
  public static let unitsInFlight = 256
  /// Requests for units that one peer may have open here: two, and two that are repeated.
  public static let unitWantsPerPeer = 4

  // MARK: Engine

  /// Peers remembered at once: the devices of the largest operation, all on uplinks to one instance
  /// of an archive while another is down. Beyond it, the least recently active peer without a
  /// session is removed.
  public static let peers = 4096
  /// Addresses received in announces that are not validated yet: enough for the peers that come
  /// into range at once.
  public static let contactHints = 64
  /// Certificates whose announce counters are remembered, so that no replayed announce counts.
  public static let announcers = 4096
  /// Addresses of unknown announcers, which count as devices that share a link.
  public static let strangers = 64
  /// Incarnations of each announcer. Beyond `announcers`, the least recently active is removed.
  public static let incarnationsPerAnnouncer = 4
  /// Addresses of one device that are tried at once: a device has few interfaces.
  public static let endpointsPerDevice = 4
  /// Simultaneous handshakes of two devices with two addresses each create four sessions, and both
  /// sides must agree on those that remain; the older ones time out.
  public static let sessionsPerPeer = 4
  /// Up to so many devices form a full mesh of sessions; in a larger mesh each device chooses
  /// peers.
  public static let smallMesh = 16
  /// The same limit if a handshake takes a fifth or more of a link's capacity per second.
  public static let smallMeshOnNarrowLinks = 4
  /// Certificates below one certificate (issued by it, by those, and so on) that devices presented
  /// in handshakes or peers supplied, and that no control log contains: four times the devices of
  /// the largest operation (1,000). Certificates that the root issued are not counted.
  public static let certificatesPerIssuer = 4096
  /// The content of an item of membership evidence: sealed, it fits a piece of a bundle.
  public static let evidenceBytes = 64_512
  /// What one packet carries of an item.
  public static let evidencePieceBytes = 1000
  /// Pieces of an item that are sent in answer to one request.
  public static let evidencePiecesAtOnce = 8
  /// Items that are being received at once, from all peers.
  public static let evidenceInFlight = 32
  /// Items that one peer advertised and that are yet to be requested from it.
  public static let evidenceQueued = 256
  /// Logs of one certificate that are proved to have more branches than count; of more, nothing of
  /// any log of the certificate counts but the openings.
  public static let overforkedLogs = 32
  /// Certificates that are requested from one peer, and by it, between two heartbeats.
  public static let certificateWants = 256
  /// Addresses of other devices that one peer receives at once: they fit a datagram.
  public static let introductions = 16
  /// Fresh frames that are pushed; of longer runs only the head is announced.
  public static let pushedFrames = 4
  /// Sessions on which one fresh frame is pushed, besides those over uplinks; other peers receive
  /// it by relay.
  public static let pushFanOut = 32
  /// Datagrams of positions that each peer on an uplink is sent in a second, if these are more than
  /// `pushFanOut`: 9.6 kB with some forty positions.
  public static let positionBatchDatagrams = 8
  /// Positions that wait for a batch. The next digest brings more than that.
  public static let fedPositions = 16_384
  /// Logs whose frames wait for peers on uplinks, or did a moment ago.
  public static let fedLogs = 4096
  /// Frames of one log that wait for them. Of more, the head is advertised.
  public static let fedFrames = 1024
  /// Datagrams of one log that each of very many peers on uplinks is sent in half a second,
  public static let frameBatchDatagrams = 4
  /// and those that all of them together are sent, if that is more.
  public static let frameBatchDatagramsInAll = 4096
  /// Parts that may wait for a peer before it gets the head of a busy log, and no frames.
  public static let partsBeforeFeed = 64
  /// Devices that a push names as covered, so that it is not relayed to them.
  public static let coveredDevices = 48
  /// Fresh frames and records queued for relay by multicast. Beyond it, the oldest is dropped.
  public static let relays = 128
  /// Strands of forked logs that are partly received, or that wait for their parent.
  public static let begunStrands = 256
  /// Logs of one peer in which the position of a fork is searched.
  public static let forkSearches = 64
  /// Unfinished handshakes. Beyond it, the oldest is dropped, so that a flood uses no more memory;
  /// its device tries again only after many seconds. Half of it is the most uplinks that may be
  /// open without a session: when an instance of an archive fails, all of its devices come at once.
  /// The limit also applies to joiners that wait for an answer.
  public static let handshakesInFlight = 1024
  /// Datagrams of a session that are kept until the last message of its handshake arrives.
  public static let earlyDatagrams = 4
  /// Bytes of frame bodies that may arrive unrequested in response to leaves.
  public static let digestCreditBytes = 16 * 1024
  /// Bytes that a node requests from one peer before a response, by estimate: the capacity of a
  /// satellite link of several megabits, and far more than any radio carries.
  public static let wantCreditBytes = 512 * 1024
  /// The same limit in frames of any size.
  public static let wantedFrames = 4096
  /// Ranges that one peer may have requested and not received: a log in 64 frames at a time.
  public static let wantsPerPeer = 128
  /// How far ahead of the held frames a log is requested, if several peers send it.
  public static let bufferedFramesPerLog = 4096
  /// Frames of one peer that wait for the signature that proves them, or for the previous frame.
  public static let bufferedFrames = 16_384
  /// The same for all peers: 32 MB.
  public static let bufferedFramesInAll = 32_768
  /// Frames of each peer that may wait even if that limit is reached.
  public static let bufferedFramesReserved = 64
  /// Logs that may be requested from one peer even if the limit on requests is reached.
  public static let pullsReserved = 64
  /// Datagram parts that wait to be sent to one peer, or for its acknowledgement.
  public static let queuedParts = 1024
  /// Datagrams whose acknowledgement is still expected.
  public static let datagramsRemembered = 1024
  /// Sealed datagrams, announces and handshakes that wait for a link.
  public static let waitingDatagrams = 64
  /// Network interfaces that are paced.
  public static let links = 64
  /// An uplink's TLS certificate, in DER: a self-signed one of P-256 takes 400.
  public static let uplinkCertificateBytes = 600
  /// The limit per command device; earlier ones count.
  public static let uplinkCertificatesPerDevice = 4
  /// Logs held of one certificate and lane. A device opens one per incarnation, and ten
  /// incarnations are many. Logs beyond the cut-off of a revocation are not counted.
  public static let logsPerLane = 64
  /// The number that is held even if `logs` is reached.
  public static let logsReserved = 2
  /// Logs held at once: 1,000 devices with ten incarnations have 40,000; the rest is for a few that
  /// open as many as they may.
  public static let logs = 262_144
  /// Heads that one peer advertised.
  public static let knownHeads = 65_536
  /// Offered logs of authors without a known certificate; they are requested again when the next
  /// certificate arrives.
  public static let unverifiableLogs = 4096
  /// Logs whose held length is recorded outside the database: a hundred devices with ten
  /// incarnations each, at 56 bytes, written from time to time.
  public static let holdings = 4096
  /// Quarantined frames that are held of one certificate: the honest work of one day, and a bound
  /// on what a thief can fabricate.
  public static let quarantinedFrames = 4096
  /// Records of one peer whose hashes are remembered.
  public static let knownRecords = 16_384
  /// Logs of which a peer has sent runs that are not known to be held. Beyond it, acknowledgements
  /// on that session no longer confirm that received frames are held.
  public static let unheldRuns = 64
  /// Receipts by one command device: one for each log of 1,000 devices with ten incarnations.
  public static let receiptsPerDevice = 40_960
  /// Phones and other trackers whose positions one device publishes.
  public static let trackersPerDevice = 256
  /// Neighbours that one device publishes: 512 bytes, so that the record fits a datagram.
  public static let neighbours = 64
  /// Other incarnations of its own device that an incarnation names: the newest known.
  public static let namedIncarnations = 8
  /// Incarnations of its own device that a program tracks; each opens logs, so more are deliberate.
  public static let otherIncarnations = 1024
  /// Incarnations that a program begins after its start because of a live clone: two clones must
  /// not replace one another endlessly.
  public static let yieldsPerStart = 4
  /// Clone notices that are being sent to all sessions of a device.
  public static let cloneNotices = 64
  /// Epochs of one author's frames whose keys are requested; the next are requested when a key
  /// arrives.
  public static let missingKeysPerAuthor = 16
  /// Epochs that the control plane selects for writing and whose keys are missing.
  public static let wantedEpochs = 16
  /// Epoch keys that one packet requests.
  public static let keyRequests = 32
  /// People without a certificate or a tracker here that the rows of one author name, and that are
  /// listed: more than join between two rounds of anti-entropy.
  public static let unknownPeoplePerAuthor = 64
  /// Running check-ins in memory that one author started for people of one owner: four for each
  /// phone that a device publishes for.
  public static let checkInsPerShare = 1024
  /// The same for all owners: several for each person of the largest operation.
  public static let checkInsPerAuthor = 16_384
  /// Active alerts. Beyond it, authors take turns, danger first.
  public static let alerts = 1024
  /// Those of one author that take a turn; further ones have the places that remain.
  public static let alertsPerAuthor = 256
  /// Calls for help of one owner's trackers with an alert each; further ones share one.
  public static let trackerCalls = 4
  /// Row changes that a node remembers one by one, for readers that reconnect.
  public static let rememberedChanges = 4096
  /// Journal entries for records, of all authors: half a day of 1,000 authors with an entry each
  /// 15 s, and 50 bytes each.
  public static let journaledRecords: Int64 = 3_000_000
  /// How long journal entries for records are kept.
  public static let journalMilliseconds: Int64 = 12 * 3_600_000
  /// Between two journal entries for records of one author.
  public static let journalPauseMilliseconds: Int64 = 15_000
  /// Received records in memory before they are written, whatever the time.
  public static let unstagedRecords = 512
  /// How long received records wait in memory to be written together.
  public static let stagingMilliseconds: Int64 = 2000
  /// Staged records before they are folded, whatever the time: about 6 MB.
  public static let stagedRecords = 16_384
  /// How long staged records wait to be folded together.
  public static let foldMilliseconds: Int64 = 300_000
  /// A node with less free disk space may soon fail to store data.
  public static let leastFreeBytes: UInt64 = 100 << 20
  /// The length of a period of the history of people: a replay reads one.
  public static let historyPeriodMilliseconds: Int64 = 600_000
  /// Periods of the history that are kept: 48 hours of a running node.
  public static let historyPeriods: Int64 = 288
  /// Bytes of the history that are kept, whatever the number of periods: 1,000 people with a fix
  /// each 30 s take 50 MB in 24 h.
  public static let historyBytes: Int64 = 256 << 20
  /// Entries of one certificate, or about the status of one person, in one period; beyond it the
  /// newest entry replaces the one before.
  public static let historyEntries = 256
  /// Late entries of one certificate: more than a day's track with a fix each 30 s.
  public static let lateHistoryEntries: Int64 = 4096
  /// Devices and people in a period of the history.
  public static let historySubjects = 16_384
  /// Entries of the history that wait to be stored: more are dropped, the oldest first.
  public static let unwrittenHistory = 16_384
  /// Zones and reports of one commit whose earlier state the history keeps: more are dropped.
  public static let replacedRows = 4096
  /// Periods in which a node recorded without a gap: the oldest are forgotten.
  public static let historyRuns = 512
  /// The history notes at least this often that the node records. A longer silence is a gap, and a
  /// crash extends one by as much.
  public static let historyBeatMilliseconds: Int64 = 60_000
  /// Between two runs: a shorter pause is no gap.
  public static let historyGapMilliseconds: Int64 = 10_000
  /// Between two writes of the history.
  public static let historyPauseMilliseconds: Int64 = 1000
  /// Events of the timeline in one answer.
  public static let historyEventsPerPage = 1000
  /// Datagrams processed in one transaction.
  public static let inputsPerBatch = 256
}
