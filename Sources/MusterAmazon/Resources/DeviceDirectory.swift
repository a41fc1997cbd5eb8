internal import MusterModel
internal import MusterNode

/// The devices of the service: everyone in the operation, and every tracker.
///
/// - A tracker of this node has its name as id.
/// - Another person or tracker has the callsign, if it is a valid id that no one else has, and else
///   the id of the user in hexadecimal. The latter always works, and is no one else's name.
struct DeviceDirectory: Sendable {
  /// The trackers of this node, by name. Only these may be written.
  let own: [String: UserID]
  private let people: [UserID: UserSummary]
  private let users: [String: UserID]
  private let ids: [UserID: String]

  /// Reads everyone from the node.
  init(of node: Node) async throws(ServiceFault) {
    let own: [String: UserID]
    do {
      own = try await node.trackers()
    } catch {
      throw ServiceFault(refusing: error)
    }
    guard case .users(let people) = try await node.ask(.users) else { throw .unexpected }
    self.init(own: own, people: people)
  }

  init(own: [String: UserID], people: [UserSummary]) {
    self.own = own
    self.people = Dictionary(people.map { ($0.id, $0) }) { first, _ in first }
    var users: [String: UserID] = [:]
    var ids: [UserID: String] = [:]
    for person in people { users["\(person.id)"] = person.id }
    for (name, user) in own where Names.isID(name) && users[name] == nil {
      users[name] = user
      ids[user] = name
    }
    let callsigns = Dictionary(grouping: people, by: \.callsign)
    for person in people where ids[person.id] == nil {
      let isUnique = callsigns[person.callsign]?.count == 1 && users[person.callsign] == nil
      if isUnique, Names.isID(person.callsign) {
        users[person.callsign] = person.id
        ids[person.id] = person.callsign
      } else {
        ids[person.id] = "\(person.id)"
      }
    }
    self.users = users
    self.ids = ids
  }

  /// Returns the person or tracker with an id; nil if there is none.
  func person(_ id: String) -> UserSummary? { users[id].flatMap { people[$0] } }

  /// Whether an id belongs to anyone, or is the callsign of several.
  func isTaken(_ id: String) -> Bool {
    users[id] != nil || people.values.contains { $0.callsign == id }
  }

  /// The name of this node's tracker with an id, as it is stored; nil if it is none. Names that are
  /// equal as Unicode may differ in their bytes.
  func ownName(_ id: String) -> String? {
    guard let user = users[id] else { return nil }
    return own.first { $0.value == user }?.key
  }

  /// Everyone with a position, by id.
  var located: [(id: String, fix: Fix)] {
    people.values.compactMap { person in
      guard let fix = person.fix, let id = ids[person.id] else { return nil }
      return (id, fix)
    }.sorted { $0.id < $1.id }
  }
}
