public import MusterModel

/// Who may write what (design §5). A write without permission is held and never applied, on every
/// node alike: the answer depends only on the write, its author's certificate and the row's owner.
public enum Permission {
  /// Asked when a write is applied. Command may write everything but a user's own word and
  /// somebody's track; a user their own row, unless their device is a relay, but not what command
  /// says of them; a member their own reports and trackers, confirmations and comments on any
  /// report, and acknowledgements of their own, of directives and of alerts.
  public static func allows(_ write: Write, by author: Author, owner: UserID) -> Bool {
    #if Canary
      if Canary.skipRoleCheck.isPlanted { return true }
    #endif
    switch write.field.entity {
    case .user: return allowsUser(write, by: author, isOwn: author.user == owner)
    case .fence, .settings, .permit:
      return author.role == .command
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

  /// Nobody speaks in a user's place as if it were the user; command overrules, and the user's
  /// next word takes that away.
  private static func allowsUser(_ write: Write, by author: Author, isOwn: Bool) -> Bool {
    let isOwner = isOwn && author.role.reads
    return switch write.field {
    case .userSafetyClaim: isOwner
    case .userSafetyOverride, .userRelayedClaim:
      author.role == .command || (isOwner && write.value == nil)
    default: isOwner || author.role == .command
    }
  }

  /// Who speaks for a tracker says what its carrier said, and takes command's word away by it.
  private static func allowsTrackerOwner(_ write: Write) -> Bool {
    write.field != .trackerSafetyOverride || write.value == nil
  }

  private static func acknowledgesAlert(_ write: Write, for author: Author) -> Bool {
    guard case .alertReply(let reply)? = write.value else { return write.value == nil }
    return reply.user == author.user
  }

  private static func acknowledges(_ write: Write, for author: Author) -> Bool {
    guard write.field == .directiveAcknowledgements else { return false }
    guard case .reply(let user, _)? = write.value else { return write.value == nil }
    return user == author.user
  }

  /// Whether a permitted write may take this live value away: in a set only the element's own
  /// author or `command` may, and nothing clears a fence's `deleted` or a permit's `revoked`. An
  /// existence is taken away
  /// by whoever may delete the row.
  static func allowsSuperseding(_ field: Field, valueOf element: UserID, by author: Author) -> Bool
  {
    #if Canary
      if Canary.anyoneTakesAway.isPlanted { return true }
    #endif
    return switch field {
    case .fenceDeleted, .permitRevoked: false
    case .reportExistence, .fenceExistence, .directiveExistence, .trackerExistence,
      .permitExistence:
      true
    default:
      switch field.kind {
      case .lastWriter, .enableWinsFlag: true
      case .addWinsSet: author.role == .command || author.user == element
      }
    }
  }

  private static func isOpenToMembers(_ field: Field) -> Bool {
    field == .reportConfirmations || field == .reportComments
  }
}
