public import MusterModel

/// Who may write what (design §5). A write without permission is held and never applied, on every
/// node alike: the answer depends only on the write, its author's certificate and the row's owner.
public enum Permission {
  /// Asked when a write is applied. Command may write everything; a user their own row, unless
  /// their device is a relay; a member their own reports, and confirmations and comments on any.
  public static func allows(_ write: Write, by author: Author, owner: UserID) -> Bool {
    #if Canary
      if Canary.skipRoleCheck.isPlanted { return true }
    #endif
    switch write.field.entity {
    case .user:
      return author.role == .command || (author.user == owner && author.role.reads)
    case .fence:
      return author.role == .command
    case .report:
      guard author.role == .command || author.role == .member else { return false }
      return author.role == .command || author.user == owner || isOpenToMembers(write.field)
    }
  }

  /// Whether a permitted write may take this live value away: in a set only the element's own
  /// author or `command` may, and nothing clears a fence's `deleted`. An existence is taken away
  /// by whoever may delete the row.
  static func allowsSuperseding(_ field: Field, valueOf element: UserID, by author: Author) -> Bool
  {
    #if Canary
      if Canary.anyoneTakesAway.isPlanted { return true }
    #endif
    return switch field {
    case .fenceDeleted: false
    case .reportExistence, .fenceExistence: true
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
