internal import MusterModel

/// The people that rows name, and whose certificate or tracker has not arrived here: a running
/// timer, an open order or an open call for help is about them (decision 0089).
///
/// They are assessed and listed like everybody, so that no alarm waits for a certificate. It may
/// never come: an insider can name invented ids. So of the people that one author names only those
/// with the least ids are listed, and the alert `bound` names the author of more.
struct UnknownPeople: Sendable {
  /// That a row names a person.
  struct Naming: Sendable {
    let person: UserID
    /// The owner of the tracker whose carrier they are; nil for a user.
    let trackerOwner: UserID?
    let author: UserID
    /// The device of the author; nil where the database does not know it.
    let device: DeviceID?
  }

  /// The listed people, each with one naming of them.
  private(set) var listed: [UserID: Naming] = [:]
  /// By device, how many people its user names beyond the limit.
  private(set) var excess: [DeviceID: UInt64] = [:]

  init() {}

  /// - Parameter isKnown: whether a person is on the roster, or was removed from it.
  init(_ namings: [Naming], isKnown: (UserID) throws -> Bool) rethrows {
    var known: [UserID: Bool] = [:]
    var named: [UserID: [UserID: [Naming]]] = [:]
    for naming in namings {
      let isKnown = try known[naming.person] ?? isKnown(naming.person)
      known[naming.person] = isKnown
      if !isKnown { named[naming.author, default: [:]][naming.person, default: []].append(naming) }
    }
    for people in named.values {
      let ids = people.keys.sorted()
      for id in ids.prefix(Limits.unknownPeoplePerAuthor) {
        for naming in people[id] ?? [] { list(naming) }
      }
      for id in ids.dropFirst(Limits.unknownPeoplePerAuthor) {
        if let device = people[id]?.compactMap(\.device).min() { excess[device, default: 0] += 1 }
      }
    }
  }

  /// A naming as a user counts before one as a carrier; of several owners of trackers the least.
  private mutating func list(_ naming: Naming) {
    if let known = listed[naming.person] {
      guard let owner = known.trackerOwner else { return }
      if let other = naming.trackerOwner, owner <= other { return }
    }
    listed[naming.person] = naming
  }
}
