public import MusterModel
public import MusterReplica

/// What a person or a program asks of a node: the one way in, over the socket and in process.
///
/// A `String` that names a report, a fence or a device is its id in hexadecimal or the beginning of
/// it (at least four digits) where that is unambiguous.
public enum Command: Codable, Hashable, Sendable {
  case status
  case verify

  case users
  case claimSafety(SafetyClaim, note: String)
  /// Command's word on somebody, or with nil that theirs counts again. A user is named by callsign
  /// or id.
  /// `away` names devices of theirs that are not with them.
  case overrideSafety(user: String, SafetyClaim?, note: String, away: [String] = [])
  /// By the owner of a tracker, or by command, for whoever carries it.
  case claimSafetyOf(tracker: String, SafetyClaim, note: String)
  /// What a login says that is bound to a user.
  case relayClaim(SafetyClaim, note: String, login: String, user: String)
  /// With nil oneself; confirmed: although a call for help stands or an order is open.
  case signOff(user: String?, reason: String, isConfirmed: Bool)
  case signOn(user: String?, reason: String)
  case permits
  case addPermit(PermitOrder)
  case revokePermit(String)
  /// Of somebody else by command; with nil one's own.
  case setTeam(String, user: String?)
  case setPosition(Fix)
  /// What is known here of somebody's way, by sample time: the newest so many fixes.
  case track(of: String, limit: Int)
  case devices
  /// Who hears whom.
  case mesh

  case reports
  case report(String)
  case addReport(ReportDraft)
  case editReport(String, ReportChanges)
  case deleteReport(String)
  case confirmReport(String)
  case commentReport(String, text: String)

  case fences
  case fence(String)
  case addFence(FenceDraft)
  /// Draws an assembly zone and orders people there, in one commit.
  case addAssemblyZone(FenceDraft, order: DirectiveOrder)
  case editFence(String, FenceChanges)
  case setFenceActive(String, Bool)
  case deleteFence(String)

  case directives
  case directive(String)
  case direct(DirectiveOrder)
  case closeDirective(String)
  /// By command for somebody else, or with nil for oneself. Without a directive it answers the one
  /// that waits for that person.
  case acknowledge(String?, note: String, user: String?)
  /// Takes an answer back; without a directive that to the one that they have answered.
  case withdrawAcknowledgement(String?, user: String?)
  case alerts
  /// That somebody at this laptop has taken notice of an alert; nil for the node's own user.
  case acknowledgeAlert(String, by: String?, user: String? = nil)
  /// How often each set of things has changed here.
  case changes
  /// What command wants of a user's laptop, or of everybody's with nil.
  case settings(user: String?)
  case setProfile(LocationProfile, user: String?, isForeground: Bool)
  case setSilence(seconds: UInt32, user: String?)

  /// Crossings that this node learned of after an arrival number, in that order; all with nil.
  case events(after: Int64?, limit: Int)

  /// - uses: how many devices may join by it, 1 to 1,000.
  case invite(role: Role, uses: Int, validSeconds: Int64)
  /// A join request file's contents.
  case admit(request: ByteString, role: Role)
  /// Takes the standing of a device away, which is named by its id or by the callsign of whose it
  /// is.
  case revoke(String)
  case rotateEpoch
  case quarantine
  /// Lets a quarantined frame count, or all that is held of a device.
  case release(String)

  /// The next piece of a bundle: empty for the first, else what the one before says is next.
  case bundlePiece(at: ByteString)
  /// Takes what is whole of a piece of a bundle, which may be the last of its file.
  case mergeBundle(ByteString, at: ByteString, isLast: Bool)
}

/// A permit as a person gives it.
public struct PermitOrder: Codable, Hashable, Sendable {
  /// By callsign or id.
  public var people: [String]
  /// Empty for no team.
  public var team: String
  /// A hazard zone, by its name where only one has it, or by its id.
  public var zone: String
  /// From now on.
  public var durationSeconds: UInt32

  /// Nothing is checked here: what is out of range is refused by the node.
  public init(people: [String], team: String, zone: String, durationSeconds: UInt32) {
    self.people = people
    self.team = team
    self.zone = zone
    self.durationSeconds = durationSeconds
  }
}

/// A directive as a person gives it: users by callsign or id, the deadline from now on.
public struct DirectiveOrder: Codable, Hashable, Sendable {
  /// What is asked.
  public var kind: DirectiveKind
  /// May be empty, but not of a message.
  public var text: String
  /// At most one of these three; none for everyone.
  public var role: Role?
  /// A team's name.
  public var team: String?
  /// By callsign or id.
  public var users: [String]
  /// The zones to go to, by name or id; empty for any active assembly zone.
  public var zones: [String]
  /// Until it is overdue; nil for what is usual.
  public var deadlineSeconds: Int64?

  /// Nothing is checked here: what is out of range is refused by the node.
  public init(
    kind: DirectiveKind, text: String = "", role: Role? = nil, team: String? = nil,
    users: [String] = [], zones: [String] = [], deadlineSeconds: Int64? = nil
  ) {
    self.kind = kind
    self.text = text
    self.role = role
    self.team = team
    self.users = users
    self.zones = zones
    self.deadlineSeconds = deadlineSeconds
  }
}

/// What a node answers.
public enum Reply: Codable, Hashable, Sendable {
  case done
  /// Why nothing was changed, in one line for the person who asked.
  case refused(String, RefusalKind = .unfit)
  case status(StatusSummary)
  case verification(VerificationReport)
  case users([UserSummary])
  case devices([DeviceSummary])
  case mesh(MeshSummary)
  case reports([ReportSummary])
  case fences([FenceSummary])
  /// The new row.
  case created(RowID)
  /// The new zone, and the order to go there.
  case ordered(zone: RowID, directive: RowID)
  /// Which directive was answered, or an answer taken back of.
  case answered(RowID, DirectiveKind)
  case events([CrossingSummary])
  case directives([DirectiveSummary])
  case alerts([Alert])
  case permits([PermitSummary])
  case changes(ChangeCounts)
  case settings(SettingsSummary)
  /// An `Invitation` in its byte form, and what it is good for.
  case invitation(ByteString, role: Role, expiresAt: Timestamp)
  /// A join grant file's contents, and whom it admits.
  case grant(ByteString, callsign: String)
  case quarantine([QuarantinedFrame])
  /// How many frames count from now on.
  case released(Int)
  case track([Fix])
  case bundlePiece(BundlePiece)
  case bundleProgress(BundleProgress)
}
