#if Canary
  /// A bug planted in the product on purpose, to prove that the simulator detects bugs like it.
  /// `harm` describes each one.
  ///
  /// It exists only in builds with the package trait `Canary`, which are never released. The code
  /// of each bug is inside `#if Canary` at the place that it breaks. `muster-sim canary` enables at
  /// most one, before it creates the world.
  public enum Canary: String, CaseIterable, Sendable {
    case skipSignature = "skip-signature"
    case acceptUnsigned = "accept-unsigned"
    case forgetSignature = "forget-signature"
    case trustAnyRecord = "trust-any-record"
    case acceptOlderRecord = "accept-older-record"
    case staleTrie = "stale-trie"
    case dropEarlyEdit = "drop-early-edit"
    case wallClockWins = "wall-clock-wins"
    case lastArrivalWins = "last-arrival-wins"
    case forgetSuperseded = "forget-superseded"
    case oneCommentEach = "one-comment-each"
    case skipRoleCheck = "skip-role-check"
    case anyoneTakesAway = "anyone-takes-away"
    case exitOnLateFix = "exit-on-late-fix"
    case sameNumberTwice = "same-number-twice"
    case exitTooSoon = "exit-too-soon"
    case boxIsOutline = "box-is-outline"
    case loseCommit = "lose-commit"
    case skipSync = "skip-sync"
    case skipServedFrame = "skip-served-frame"
    case anybodyCertifies = "anybody-certifies"
    case trustClaimedSubject = "trust-claimed-subject"
    case trustClaimedOwner = "trust-claimed-owner"
    case partsWaitForever = "parts-wait-forever"
    case reuseNonce = "reuse-nonce"
    case reuseIncarnation = "reuse-incarnation"
    case forgetCounter = "forget-counter"
    case acknowledgeFirst = "acknowledge-first"
    case staleFences = "stale-fences"
    case forgetKey = "forget-key"
    case deleteWins = "delete-wins"
    case believeDelivery = "believe-delivery"
    case reuseGeneration = "reuse-generation"
    case forgetDetector = "forget-detector"
    case ignoreCut = "ignore-cut"
    case keyForRevoked = "key-for-revoked"
    case readmitRevoked = "readmit-revoked"
    case ignoreHandedCertificates = "ignore-handed-certificates"
    case globalLogBound = "global-log-bound"
    case globalTrackerBound = "global-tracker-bound"
    case globalMissingKeys = "global-missing-keys"
    case greatestGenerationWins = "greatest-generation-wins"
    case hideHazard = "hide-hazard"
    case rankRevokesMembers = "rank-revokes-members"
    case forgetCheckInDates = "forget-check-in-dates"
    case keepFirstCheckInDate = "keep-first-check-in-date"
    case firstCheckInCounts = "first-check-in-counts"
    case ignoreCheckInDoubt = "ignore-check-in-doubt"

    /// The bug that is enabled in this process; nil for none. Simulations are single-threaded, so
    /// no lock guards it.
    nonisolated(unsafe) public static var planted: Canary?

    /// Describes the effect for people.
    public var harm: String {
      switch self {
      case .skipSignature: "a frame is stored without checking its signature"
      case .acceptUnsigned: "a frame is stored although no signature covers it"
      case .forgetSignature: "the signature of a log's newest frame is discarded"
      case .trustAnyRecord: "positions and receipts are accepted without a signature"
      case .acceptOlderRecord: "an older position replaces a newer one"
      case .staleTrie: "a digest is computed from stale hashes"
      case .dropEarlyEdit: "an edit that arrives before its row's create is dropped"
      case .wallClockWins: "of two values the one with the later wall clock wins"
      case .lastArrivalWins: "a write supersedes values that its author never saw"
      case .forgetSuperseded: "a superseded value that arrives late is shown again"
      case .oneCommentEach: "a comment replaces its author's previous one"
      case .skipRoleCheck: "any role may write any field"
      case .anyoneTakesAway: "any author may delete another author's comment"
      case .exitOnLateFix: "a fix that arrives late changes the current state"
      case .sameNumberTwice: "an EXIT gets the number of the ENTER before it"
      case .exitTooSoon: "an EXIT is recorded before the accuracy circle is outside"
      case .boxIsOutline: "every position in a polygon's bounding box counts as inside"
      case .loseCommit: "a commit of several frames is acknowledged but not written"
      case .skipSync: "a commit is acknowledged before it is on disk"
      case .skipServedFrame: "a run of frames that a peer requested has a gap"
      case .anybodyCertifies: "a member's certificates count"
      case .trustClaimedSubject: "a crossing counts for any subject that it names"
      case .trustClaimedOwner: "a row is owned by any author that claims to have created it"
      case .partsWaitForever: "the parts of a complete group of entries wait forever"
      case .reuseNonce: "two frames are sealed with one nonce"
      case .reuseIncarnation: "a restored database continues its old logs"
      case .forgetCounter: "the counter of positions starts over after a restart"
      case .acknowledgeFirst: "a write is acknowledged before it is committed"
      case .staleFences: "an edited fence is evaluated with its old outline"
      case .forgetKey: "a received epoch key is used but not stored"
      case .deleteWins: "an edit does not restore a report that was deleted concurrently"
      case .believeDelivery: "a peer that has part of a report counts as having all of it"
      case .reuseGeneration: "a restored database reuses a generation"
      case .forgetDetector: "a restart loses who was inside which fence"
      case .ignoreCut: "frames of a revoked device after its cut-off count"
      case .keyForRevoked: "a new key is sent to the device that it excludes"
      case .readmitRevoked: "a revoked device is readmitted with the newest key"
      case .ignoreHandedCertificates: "certificates that peers supply are ignored"
      case .globalLogBound: "the limit on logs applies to all devices together"
      case .globalTrackerBound: "the limit on trackers applies to all devices together"
      case .globalMissingKeys: "the limit on missing keys applies to all authors together"
      case .greatestGenerationWins: "the epoch of the greatest generation is used for writing"
      case .hideHazard: "a person who reported safe is shown in no hazard zone"
      case .rankRevokesMembers: "a commander's revocation of a council member counts"
      case .forgetCheckInDates: "a restart of the machine starts the time of each check-in again"
      case .keepFirstCheckInDate: "a check-in keeps the date that was known at its arrival"
      case .firstCheckInCounts: "of concurrent check-ins the first due time counts"
      case .ignoreCheckInDoubt: "a check-in is due at the latest possible time alone"
      }
    }

    /// A string that builds with planted bugs contain and released builds MUST NOT contain.
    public static let marker = "muster build with planted bugs: never ship it"

    /// Whether this bug is enabled.
    public var isPlanted: Bool { Self.planted == self }
  }
#endif
