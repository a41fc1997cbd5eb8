/// A person's confirmation of a report, for display; each person has one.
public struct ReportConfirmation: Codable, Hashable, Sendable {
  /// Whether a confirmation counts.
  public enum Standing: String, Codable, CaseIterable, Sendable {
    /// Its author saw what the report shows.
    case counts
    /// The report showed something else then, or the confirmation does not state what it showed:
    /// confirmed before it changed.
    case ofEarlierContent
    /// By the author of the report, on any device or by a login.
    case ofOwnReport
  }

  /// The person; nil for a login without a person.
  public var user: UserID?
  /// Who confirmed. A name that several people have is followed by the first digits of the id.
  public var authorship: Authorship
  /// The role of the device that signed.
  public var role: Role
  /// Whether it counts.
  public var standing: Standing

  /// Creates a confirmation.
  public init(user: UserID?, authorship: Authorship, role: Role, standing: Standing) {
    self.user = user
    self.authorship = authorship
    self.role = role
    self.standing = standing
  }
}

extension [ReportConfirmation] {
  /// The texts of those that count, sorted.
  public var counting: [String] { texts(of: .counts) }

  /// The texts of those that were made before the report changed, sorted.
  public var ofEarlierContent: [String] { texts(of: .ofEarlierContent) }

  private func texts(of standing: ReportConfirmation.Standing) -> [String] {
    filter { $0.standing == standing }.map(\.authorship.text).sorted()
  }
}
