public import MusterModel
public import MusterReplica

/// A command of a user or a program to a node: the only interface, over the socket and in process.
///
/// A `String` that names a report, a fence or a device is its id in hexadecimal, or an unambiguous
/// prefix of at least four digits.
public enum Command: Codable, Hashable, Sendable {
  case status
  case verify

  case users
  case claimSafety(SafetyClaim, note: String)
  /// Command's override of a user's safety; nil withdraws it. The user is named by callsign or id.
  /// `away` names devices that are not with the person.
  case overrideSafety(user: String, SafetyClaim?, note: String, away: [String] = [])
  /// A claim for the carrier of a tracker, by its owner or by command.
  case claimSafetyOf(tracker: String, SafetyClaim, note: String)
  /// The claim of a login that is bound to a user.
  case relayClaim(SafetyClaim, note: String, login: String, user: String)
  /// Nil signs off the node's own user. Confirmed: in spite of a call for help or an open order.
  case signOff(user: String?, reason: String, isConfirmed: Bool)
  case signOn(user: String?, reason: String)
  case permits
  case addPermit(PermitOrder)
  case revokePermit(String)
  case checkIns
  case startCheckIn(CheckInOrder)
  case reportCheckIn(CheckInEntry)
  /// Whether the node requires a PIN for check-ins.
  case checkInPin
  case setCheckInPins(CheckInPinChange)
  /// Command ends the alarm about a person who checked in under duress, at this node.
  case clearDuress(String)
  /// Command sets another user's team; nil sets the own user's.
  case setTeam(String, user: String?)
  case setPosition(Fix)
  /// The newest fixes of a user's track that are known here, by sample time.
  case track(of: String, limit: Int)
  case devices
  /// The mesh topology.
  case mesh

  case reports
  case report(String)
  case addReport(ReportDraft)
  case editReport(String, ReportChanges)
  case deleteReport(String)
  /// What a login with the rights of a member does with its own reports.
  case loginReport(LoginReportWrite, login: String)
  /// With the `ReportSummary.content` that the user saw; nil for what is shown by then.
  case confirmReport(String, seen: String? = nil)
  case commentReport(String, text: String)

  /// The photos of a report. A `String` that names a photo is its number from 1, or its id or the
  /// first digits of it.
  case photos(String)
  case addPhoto(PhotoDraft, to: String)
  case removePhoto(String, of: String)
  /// Draws over a photo, which is named as in `photos`.
  case markPhoto(PhotoDrawing, photo: String, of: String)
  /// Removes a mark by its id, or four or more digits of it.
  case removePhotoMark(String, of: String)
  /// Fetches the original also where it is not fetched unasked.
  case requestPhoto(String, of: String)
  /// The JPEG of a photo that is complete here.
  case photo(String, of: String, kind: BlobKind)

  /// All records of a user, removed ones included.
  case records(of: UserID)

  case fences
  case fence(String)
  case addFence(FenceDraft)
  /// Draws an assembly zone and orders people to it, in one commit.
  case addAssemblyZone(FenceDraft, order: DirectiveOrder)
  case editFence(String, FenceChanges)
  case setFenceActive(String, Bool)
  case deleteFence(String)
  case addFenceRule(String, ZoneRule)
  /// Removes a rule of a zone, by its id or its number.
  case removeFenceRule(String, rule: String)

  case directives
  case directive(String)
  case direct(DirectiveOrder)
  case closeDirective(String)
  /// Answers a directive: command for another user, or with nil for the own user. Without a
  /// directive it answers the only one that the user has not answered.
  case acknowledge(String?, note: String, user: String?)
  /// Withdraws an answer; without a directive, the only one that the user has answered.
  case withdrawAcknowledgement(String?, user: String?)
  /// The calls for help whose callers are not proven; ended ones follow on request.
  case unverifiedCalls(includesEnded: Bool)
  /// Writes a call whose caller is not proven.
  case raiseUnverifiedCall(UnverifiedCall)
  /// Command states who called: a person by callsign or id, who is a MAYDAY from now on.
  case confirmUnverifiedCall(String, user: String)
  case closeUnverifiedCall(String, reason: String)
  case alerts
  /// Acknowledges an alert for a local user; nil for the node's own user. One by a program shows no
  /// caller that a person saw the call.
  case acknowledgeAlert(String, by: String?, user: String? = nil, isByProgram: Bool = false)
  /// As command, put a warning aside at this node; with nil take that back.
  case shelveAlert(String, ShelvingOrder?)
  /// Acknowledges the alert about a call for help, and sends a text to its caller alone.
  case answerCall(
    String, text: String, by: String?, user: String? = nil, isByProgram: Bool = false)
  /// What became of a person's newest call for help; of the own user with nil.
  case call(of: UserID?)
  /// The change counts of the data sets.
  case changes
  /// The sampling settings for a user's device, or for all devices with nil.
  case settings(user: String?)
  case setProfile(LocationProfile, user: String?, isForeground: Bool)
  case setSilence(seconds: UInt32, user: String?)
  /// Command states by how much the clock of a phone that reports here is behind; 0 for not.
  case setPhoneClock(user: String, behindSeconds: UInt32)
  /// The emergency contacts of the operation.
  case contacts
  case writeContact(ContactWrite)
  /// The people that command expects.
  case roster
  case writeRoster(RosterWrite)

  /// Everybody's place and status at an instant of the past.
  case history(at: Timestamp, HistoryView)
  /// The events of a range of time, by time.
  ///
  /// - after: the `next` of the page before; nil for the first.
  /// - hidesDuress: whether the reader is no commander.
  case timeline(
    from: Timestamp, to: Timestamp, after: HistoryCursor?, limit: Int, hidesDuress: Bool)

  /// Crossings after an arrival number, in the order of these numbers; all with nil.
  case events(after: Int64?, limit: Int)

  /// - uses: how many devices may join with it, 1 to 1,000.
  /// - user: the person who receives another device, by callsign or id; nil for new people.
  case invite(role: Role, user: String? = nil, uses: Int, validSeconds: Int64)
  /// The invites that this device made.
  case invites
  /// Withdraws one of them, which is named by its id.
  case withdrawInvite(String)
  /// Admits a device by the contents of its join request file, as another one of a person or as
  /// that of a new person.
  case admit(request: ByteString, role: Role, user: String? = nil)
  /// Revokes a device, named by its id or by its user's callsign.
  case revoke(String)
  case rotateEpoch
  case councils
  /// Proposes a council of devices, named as for `revoke`; with the contents of a root key file it
  /// counts at once.
  case proposeCouncil(of: [String], rootKey: ByteString?, passphrase: ByteString?)
  /// Endorses a proposal, named by the first digits of its id; nil for the only one.
  case endorseCouncil(String?)
  case quarantine
  /// Releases a quarantined frame, or all quarantined frames of a device.
  case release(String)

  /// How far every log is held here.
  case logStates
  /// The next piece of a bundle: `at` is empty for the first, else the previous piece's `next`.
  /// With a selection it contains only that.
  case bundlePiece(at: ByteString, only: BundleSelection? = nil)
  /// Merges the complete parts of a piece of a bundle, which may be the last of its file.
  case mergeBundle(ByteString, at: ByteString, isLast: Bool)

  /// The proximity log of this device, and exposures.
  case proximity(ProximityCommand)

  /// How far this device has written.
  case writtenThrough
  /// Who holds what it wrote, that far.
  case delivery([WrittenThrough])
}

/// A permit as the user enters it.
public struct PermitOrder: Codable, Hashable, Sendable {
  /// By callsign or id.
  public var people: [String]
  /// Empty for no team.
  public var team: String
  /// A hazard zone, by its id, or by its name if that is unique.
  public var zone: String
  /// Seconds from now.
  public var durationSeconds: UInt32

  /// Creates an order. Nothing is validated here: the node rejects values out of range.
  public init(people: [String], team: String, zone: String, durationSeconds: UInt32) {
    self.people = people
    self.team = team
    self.zone = zone
    self.durationSeconds = durationSeconds
  }
}

/// A directive as the user enters it: users by callsign or id, the deadline from now.
public struct DirectiveOrder: Codable, Hashable, Sendable {
  /// The kind of directive.
  public var kind: DirectiveKind
  /// May be empty, except for a message.
  public var text: String
  /// The role addressed. At most one of role, team and users is given; none addresses everyone.
  public var role: Role?
  /// A team's name.
  public var team: String?
  /// By callsign or id.
  public var users: [String]
  /// The zones to go to, by name or id; empty for any active assembly zone.
  public var zones: [String]
  /// Seconds until it is overdue; nil for the default.
  public var deadlineSeconds: Int64?

  /// Creates an order. Nothing is validated here: the node rejects values out of range.
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

/// A node's reply to a command.
public enum Reply: Codable, Hashable, Sendable {
  case done
  /// Why nothing was changed, in one line for the user.
  case refused(String, RefusalKind = .unfit)
  case status(StatusSummary)
  case verification(VerificationReport)
  case users([UserSummary])
  case devices([DeviceSummary])
  case councils([CouncilSummary])
  case mesh(MeshSummary)
  case reports([ReportSummary])
  /// Oldest first, by their authors' clocks.
  case photos([PhotoSummary])
  /// The new photo.
  case photoAdded(PhotoID)
  /// The bytes of a file.
  case photo(ByteString)
  case records([UserRecord])
  case fences([FenceSummary])
  /// The new row.
  case created(RowID)
  /// The new rows, in the order of their people.
  case createdAll([RowID])
  /// The new zone, and the order to go to it.
  case ordered(zone: RowID, directive: RowID)
  /// The directive that was answered, or whose answer was withdrawn.
  case answered(RowID, DirectiveKind)
  case events([CrossingSummary])
  case directives([DirectiveSummary])
  case alerts([Alert])
  case unverifiedCalls(UnverifiedCalls)
  /// Nil without a call.
  case call(CallStanding?)
  case permits([PermitSummary])
  case checkIns([CheckInSummary])
  case checkInPin(isRequired: Bool)
  case changes(ChangeCounts)
  case settings(SettingsSummary)
  /// By name.
  case contacts([ContactSummary])
  /// The contact that was added, changed or removed.
  case contactWritten(ContactID)
  /// By name.
  case roster([RosterPerson])
  case rosterWritten(RosterOutcome)
  /// The byte form of an `Invitation`, with its id, role and expiry.
  case invitation(ByteString, id: InviteID, role: Role, expiresAt: Timestamp)
  case invites([InviteSummary])
  /// The contents of a join grant file, and the user that it admits.
  case grant(ByteString, callsign: String)
  case quarantine([QuarantinedFrame])
  /// How many frames were released.
  case released(Int)
  case writtenThrough([WrittenThrough])
  case delivery(Delivery)
  case track([Fix])
  case history(HistoryPicture)
  case timeline(HistoryEventPage)
  case logStates([LogState])
  case bundlePiece(BundlePiece)
  case bundleProgress(BundleProgress)
  case proximity(ProximityReply)
}
