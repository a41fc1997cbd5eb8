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
    if let whole = known.first(where: { "\($0.id)" == reference }) { return whole.id }
    let likeness = NameLikeness(reference)
    let theirs = known.filter { NameLikeness($0.callsign).isLike(likeness) }
    let standing = theirs.filter { !$0.isRevoked }
    let prefix = IdentifierPrefix(reference)
    let begun = known.filter { prefix?.begins($0.id) ?? false }
    let meant = Set(((standing.isEmpty ? theirs : standing) + begun).map(\.id)).sorted()
    guard let only = meant.first else {
      throw Refusal(
        "no device belongs to \(reference), or has an id that begins with it: see muster device "
          + "list", .unknown)
    }
    guard meant.count == 1 else {
      let ids = meant.map(\.short).joined(separator: ", ")
      throw Refusal("\(meant.count) devices match \(reference): name one of \(ids)", .unknown)
    }
    if let its = theirs.first(where: { $0.id == only }), prefix?.begins(only) != true {
      try requireSame(its.callsign, reference, id: only.short)
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
      throw Refusal(
        "no zone is called \(reference), or has an id that begins so: see muster zone list",
        .unknown)
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
      throw Refusal("no zone is called \(reference): see muster zone list", .unknown)
    }
  }

  /// Returns the user with a callsign, or with an id that begins with these digits. `Anna
  /// (3f9a1c20)`, as a name is shown that several people have, is the one with this id.
  ///
  /// Names that look alike are one name here: the refusal lists the ids.
  func user(named reference: String, among people: [UserSummary]) throws(Refusal) -> UserID {
    // A whole id first: a person who takes it as a callsign must not stand in for its owner.
    if let whole = people.first(where: { "\($0.id)" == reference }) { return whole.id }
    let likeness = NameLikeness(reference)
    let prefix = IdentifierPrefix(reference)
    let named = people.filter { NameLikeness($0.callsign).isLike(likeness) }
    let begun = people.filter { prefix?.begins($0.id) ?? false }
    let shown = people.filter { "\($0.callsign) (\($0.id.short))" == reference }
    let found = Set((named + begun + shown).map(\.id)).sorted()
    guard let only = found.first else {
      throw Refusal("no user is called \(reference): see muster user list", .unknown)
    }
    guard found.count == 1 else {
      guard !named.isEmpty || !shown.isEmpty else {
        throw Refusal("\(begun.count) ids begin with \(reference): see muster user list", .unknown)
      }
      let ids = found.prefix(8).map(\.short).joined(separator: ", ")
      throw Refusal(
        "\(found.count) people are called \(reference): name one by its id, \(ids)", .unknown)
    }
    if let one = named.first, begun.isEmpty, shown.isEmpty {
      try requireSame(one.callsign, reference, id: one.id.short)
    }
    return only
  }

  /// Rejects a name that only looks like what was typed: who was meant may not be here.
  private func requireSame(
    _ name: String, _ typed: String, id: String
  ) throws(Refusal) {
    guard !NameLikeness.isSame(name, typed) else { return }
    throw Refusal("\(name) (\(id)) only looks like \(typed): name it by its id", .unknown)
  }
}
