/// The people whose names are alike: where one of them is shown beside others, the first digits of
/// the id follow the name.
public struct Namesakes: Sendable {
  private var users: Set<UserID> = []

  /// - Parameter people: everyone who may be meant.
  public init(_ people: [(id: UserID, name: String)]) {
    for group in NameLikeness.groups(of: people.map(\.name)) {
      users.formUnion(group.map { people[$0].id })
    }
  }

  /// Returns how a name is shown: `Anna`, or `Anna (3f9a1c20)` if others have a name like it.
  public func text(_ name: String, of user: UserID) -> String {
    users.contains(user) ? "\(name) (\(user.short))" : name
  }
}
