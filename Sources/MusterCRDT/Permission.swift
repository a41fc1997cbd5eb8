public import MusterModel

/// Who is authorized to write what (design §5). A write without permission is stored and never
/// applied, on every node alike: the answer depends only on the write, its author's certificate and
/// the row's owner.
public enum Permission {
  /// Whether a write is authorized; checked when it is applied. Command may write everything except
  /// a user's self-report, another person's track or records, another device's sealed note,
  /// and what an unverified call states. A user may write their own records
  /// and their own row, except command's statements about them, unless their device is a relay. A
  /// member may write their own reports and trackers, confirmations and comments on any report, and
  /// acknowledgements for themselves, of directives and of alerts; and of directives for the
  /// carriers of their trackers. An archive writes its own callsign, and nothing else.
  public static func allows(_ write: Write, by author: Author, owner: UserID) -> Bool {
    #if Canary
      if Canary.skipRoleCheck.isPlanted { return true }
    #endif
    switch write.field.entity {
    case .user: return allowsUser(write, by: author, isOwn: author.user == owner)
    case .fence, .settings, .permit:
      return author.role == .command
    case .checkIn:
      // No one else can postpone the alarm of a person.
      return author.role == .command || (author.user == owner && author.role.isPersonal)
    case .record:
      return author.user == owner && author.role.isPersonal
    case .exposure:
      return allowsExposure(write, by: author)
    case .unverifiedCall:
      return allowsUnverifiedCall(write, by: author, isOwn: author.user == owner)
    case .report:
      guard author.role == .command || author.role == .member else { return false }
      return author.role == .command || author.user == owner || isOpenToMembers(write.field)
    case .directive:
      return author.role == .command || (author.role == .member && acknowledges(write, for: author))
    case .tracker:
      return author.role == .command
        || (author.role == .member && author.user == owner && allowsTrackerOwner(write))
    case .alertAcknowledgement:
      return author.role == .command
        || (author.role == .member && acknowledgesAlert(write, for: author))
    case .track:
      return author.user == owner && (author.role == .command || author.role == .member)
    }
  }

  /// A device writes the sealed note in the row with its own id, so that each certificate has one;
  /// command publishes notices.
  private static func allowsExposure(_ write: Write, by author: Author) -> Bool {
    write.field == .exposureNote
      ? author.role.isPersonal && author.device.raw == write.row.raw : author.role == .command
  }

  /// The user whose device received the call writes what it states; command decides about it.
  private static func allowsUnverifiedCall(
    _ write: Write, by author: Author, isOwn: Bool
  ) -> Bool {
    write.field == .unverifiedCallOutcome
      ? author.role == .command : isOwn && author.role.isPersonal
  }

  /// No one else writes a user's self-report. Command may override it; the user's next self-report
  /// supersedes the override.
  private static func allowsUser(_ write: Write, by author: Author, isOwn: Bool) -> Bool {
    let isOwner = isOwn && author.role.isPersonal
    return switch write.field {
    case .userCallsign: isOwn && author.role.reads || author.role == .command
    case .userSafetyClaim: isOwner
    case .userSafetyOverride, .userRelayedClaim:
      author.role == .command || (isOwner && write.value == nil)
    default: isOwner || author.role == .command
    }
  }

  /// The owner of a tracker reports for its carrier, and may thereby supersede command's override.
  private static func allowsTrackerOwner(_ write: Write) -> Bool {
    write.field != .trackerSafetyOverride || write.value == nil
  }

  private static func acknowledgesAlert(_ write: Write, for author: Author) -> Bool {
    guard case .alertReply(let reply)? = write.value else { return write.value == nil }
    return reply.user == author.user
  }

  private static func acknowledges(_ write: Write, for author: Author) -> Bool {
    // The author and the nonce name the tracker, so this is always one of the author's.
    if write.field == .directiveTrackerReplies { return true }
    guard write.field == .directiveAcknowledgements else { return false }
    guard case .reply(let user, _)? = write.value else { return write.value == nil }
    return user == author.user
  }

  /// Whose live values an authorized write may supersede; nil for none. In a set only the element's
  /// own author or `command` may, and a fence's `deleted` or a permit's `revoked` is never cleared.
  /// An existence may be superseded by any author that may delete the row.
  static func superseder(in field: Field, by author: Author) -> Superseder? {
    #if Canary
      if Canary.anyoneTakesAway.isPlanted { return .ofEveryone }
    #endif
    return switch field {
    case .fenceDeleted, .permitRevoked: nil
    case _ where !field.isSetOfElements: .ofEveryone
    default: author.role == .command ? .ofEveryone : .of(author.user)
    }
  }

  private static func isOpenToMembers(_ field: Field) -> Bool {
    [
      .reportConfirmations, .reportContentConfirmations, .reportComments, .reportPhotos,
      .reportPhotoMarks,
    ].contains(field)
  }
}
