internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// Finds what a user names: by the first digits of an id, or by the name that is shown.
struct NameResolver {
  let context: ReadContext

  /// Returns the row with an id, or with an id that begins with these digits.
  func row(_ kind: EntityKind, named reference: String) throws -> RowID {
    guard let prefix = IdentifierPrefix(reference) else { throw Refusal.noID(reference) }
    let found = try context.store.rows(kind).filter(\.exists).map(\.key.id).filter(prefix.begins)
    guard let only = found.first else { throw Refusal("no \(kind) \(reference) here", .unknown) }
    guard found.count == 1 else {
      throw Refusal("\(found.count) \(kind)s begin with \(reference): give more digits", .unknown)
    }
    return only
  }

  /// Returns the device with an id that begins with these digits, or of the user with this
  /// callsign; of several of theirs the one that is not revoked.
  func device(named reference: String) throws -> DeviceID {
    let known = try context.devices()
    let theirs = known.filter { $0.callsign == reference }
    let standing = theirs.filter { !$0.isRevoked }
    let prefix = IdentifierPrefix(reference)
    let begun = known.filter { prefix?.begins($0.id) ?? false }
    let meant = Set(((standing.isEmpty ? theirs : standing) + begun).map(\.id)).sorted()
    guard let only = meant.first else {
      throw Refusal("no device belongs to \(reference), or has an id that begins with it", .unknown)
    }
    guard meant.count == 1 else {
      let ids = meant.map(\.short).joined(separator: ", ")
      throw Refusal("\(meant.count) devices match \(reference): name one of \(ids)", .unknown)
    }
    return only
  }

  /// Returns the zone with a name, or with an id that begins with these digits. Names are compared
  /// exactly, then case-insensitively.
  func zone(named reference: String) throws -> RowID {
    let zones = try context.store.rows(.fence).filter(\.exists)
    func called(_ isName: (String) -> Bool) -> [RowID] {
      zones.filter { $0.text(.fenceName).map(isName) ?? false }.map(\.key.id).sorted()
    }
    var named = called { $0 == reference }
    if named.isEmpty { named = called { $0.lowercased() == reference.lowercased() } }
    if named.isEmpty {
      let prefix = IdentifierPrefix(reference)
      named = zones.map(\.key.id).filter { prefix?.begins($0) ?? false }.sorted()
    }
    guard let only = named.first else {
      throw Refusal("no zone is called \(reference), or has an id that begins so", .unknown)
    }
    guard named.count == 1 else {
      let ids = named.prefix(8).map(\.short).joined(separator: ", ")
      throw Refusal("\(named.count) zones are called \(reference): name one of \(ids)", .unknown)
    }
    return only
  }

  /// Returns the zone with a unique name, or with an id.
  func hazardZone(named reference: String) throws -> RowID {
    let named = try context.store.rows(.fence).filter {
      $0.exists && $0.text(.fenceName) == reference
    }
    if named.count == 1 { return named[0].key.id }
    guard named.isEmpty else {
      let ids = named.map(\.key.id.short).sorted().joined(separator: ", ")
      throw Refusal(
        "\(named.count) zones are called \(reference): name one by its id, \(ids)", .unknown)
    }
    do {
      return try row(.fence, named: reference)
    } catch is Refusal {
      throw Refusal("no zone is called \(reference): see muster fence list", .unknown)
    }
  }

  /// Returns the user with a callsign, or with an id that begins with these digits.
  func user(named reference: String, among people: [UserSummary]) throws(Refusal) -> UserID {
    // A whole id first: a person who takes it as a callsign must not stand in for its owner.
    if let whole = people.first(where: { "\($0.id)" == reference }) { return whole.id }
    let named = people.filter { $0.callsign == reference }
    if named.count == 1 { return named[0].id }
    if named.count > 1 {
      let ids = named.map(\.id.short).sorted().joined(separator: ", ")
      throw Refusal(
        "\(named.count) people are called \(reference): name one by its id, \(ids)", .unknown)
    }
    let prefix = IdentifierPrefix(reference)
    let found = people.filter { prefix?.begins($0.id) ?? false }
    guard found.count == 1 else {
      let fault = found.isEmpty ? "no user is called" : "\(found.count) ids begin with"
      throw Refusal("\(fault) \(reference): see muster user list", .unknown)
    }
    return found[0].id
  }
}
