#if Canary
  /// A bug planted in the product on purpose, to prove that the simulator would catch one like it;
  /// `harm` says what each does.
  ///
  /// Exists only in builds under the package trait `Canary`, which nobody ships: everything else
  /// about it stands in `#if Canary` at the place that it spoils. At most one is switched on, by
  /// `muster-sim canary`, before the world that it is to spoil is made.
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

    /// The one that is switched on, of the whole process; nil for none. Simulations have one
    /// thread, so nothing guards it.
    nonisolated(unsafe) public static var planted: Canary?

    /// What it does, for people.
    public var harm: String {
      switch self {
      case .skipSignature: "frames are held whose signature nobody checked"
      case .acceptUnsigned: "frames are held that no signature proves"
      case .forgetSignature: "the signature that proves a log's newest frame is let go"
      case .trustAnyRecord: "positions and receipts are believed without a signature"
      case .acceptOlderRecord: "an older position takes the place of a newer one"
      case .staleTrie: "a digest keeps saying what was held before"
      case .dropEarlyEdit: "an edit that comes before its row's create is dropped"
      case .wallClockWins: "of two values the one with the later wall clock stays"
      case .lastArrivalWins: "a write takes away values that its author never saw"
      case .forgetSuperseded: "a superseded value that comes late is shown again"
      case .oneCommentEach: "a comment takes the place of its author's last one"
      case .skipRoleCheck: "anybody may write anything"
      case .anyoneTakesAway: "anybody may take away somebody else's comment"
      case .exitOnLateFix: "a fix that comes late flips the present"
      case .sameNumberTwice: "an EXIT is given the number of the ENTER before it"
      case .exitTooSoon: "an EXIT does not wait until the fix is clear of the edge"
      case .boxIsOutline: "whoever is in a polygon's bounding box counts as inside"
      case .loseCommit: "a commit of several frames is acknowledged and never written"
      case .skipSync: "a commit is acknowledged before it is on the disk"
      case .skipServedFrame: "a run of frames that a peer asked for has a gap"
      case .anybodyCertifies: "a member's certificates count"
      case .trustClaimedSubject: "a crossing counts for whomever it names"
      case .trustClaimedOwner: "a row is owned by whoever claims to have made it"
      case .partsWaitForever: "the parts of a whole operation never cease to wait"
      case .reuseNonce: "two frames are sealed under one nonce"
      case .reuseIncarnation: "a restored database goes on in its old logs"
      case .forgetCounter: "after a restart the counter of positions begins anew"
      case .acknowledgeFirst: "a write is acknowledged before it is committed"
      case .staleFences: "an edited fence is watched as it was"
      case .forgetKey: "an epoch key that came is used and never stored"
      case .deleteWins: "an edit does not bring back what is deleted meanwhile"
      case .believeDelivery: "a peer that has some of a report counts as having all"
      case .reuseGeneration: "a restored database takes a generation that was taken"
      case .forgetDetector: "after a restart nobody knows who was inside which fence"
      case .ignoreCut: "what a revoked device writes past its cut counts"
      case .keyForRevoked: "a new key is handed to whom it is to shut out"
      case .readmitRevoked: "a revoked device is admitted again, with the newest key"
      case .ignoreHandedCertificates: "certificates that peers hand over are not taken"
      case .globalLogBound: "the bound on logs is for all devices together"
      case .globalTrackerBound: "the bound on trackers is for all devices together"
      case .globalMissingKeys: "the bound on missing keys is for all authors together"
      case .greatestGenerationWins: "the epoch of the greatest generation is written under"
      }
    }

    /// What a build with planted bugs carries and a shipped one MUST NOT.
    public static let marker = "muster build with planted bugs: never ship it"

    /// Whether the product is to misbehave this way now.
    public var isPlanted: Bool { Self.planted == self }
  }
#endif
