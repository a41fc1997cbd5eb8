internal import MusterModel

/// People who fell silent together with a laptop that this one was in contact with: one alert, such
/// as `no contact with Bridge and 3 people behind it: Ana, Bea, Cleo`.
///
/// They have one cause, the path that was lost, so that they are one row. Only people who were last
/// received within `togetherSeconds` of the loss belong to it: who was silent before has a row of
/// their own. The first of them waits for those who will be silent at once, so that one loss raises
/// one alert; who becomes silent later joins it. A group stays while two of its members are silent,
/// also after a restart, which forgets when a laptop was lost.
struct SilenceFolding {
  /// As much may lie between the last sign of a person and the loss of the laptop in between.
  static let togetherSeconds: Int64 = 60

  let stored: AlertTracker
  /// By id.
  let people: [UserID: UserSummary]
  /// Returns the seconds since anything of each person's laptop arrived, of those that were met
  /// directly since the start. Called only if several people are silent, or a further one.
  let lost: () -> [UserID: Int64]

  private typealias Finding = AlertTracker.Finding

  /// Returns the findings with those of one loss as one, if there are two or more.
  func folding(_ findings: [AlertTracker.Finding]) -> [AlertTracker.Finding] {
    var silent: [AlertID: Finding] = [:]
    for finding in findings where finding.id.kind == .silent { silent[finding.id] = finding }
    guard silent.count > 1 || silent.keys.contains(where: isNew) else { return findings }
    let lost = lost()
    for id in waiting(of: silent.keys, lost) { silent[id] = nil }
    var folded: [Finding] = []
    let groups = stored.groups(.silentGroup)
    for known in groups {
      let others = groups.filter { $0.id != known.id }
      let losses = known.members.filter { silent[$0] != nil }.compactMap { lost[person($0)] }
      let joining = silent.keys.filter { id in
        losses.contains { isLost(id, with: $0) } && !others.contains { $0.members.contains(id) }
      }
      fold(known.members.union(joining), as: known.id, of: &silent, into: &folded, lost)
    }
    // The earliest loss first: a laptop behind a lost one is lost with it.
    let anchors = silent.keys.compactMap { id in lost[person(id)].map { (id: id, seconds: $0) } }
      .sorted { ($1.seconds, $0.id) < ($0.seconds, $1.id) }
    for anchor in anchors where silent[anchor.id] != nil {
      let members = silent.keys.filter { $0 == anchor.id || isLost($0, with: anchor.seconds) }
      // An earlier group has the id of an anchor that returned meanwhile, and was lost again.
      let used = Set(folded.map(\.id))
      let ids = ([anchor.id] + members.sorted()).map { AlertID(kind: .silentGroup, row: $0.row) }
      guard let id = ids.first(where: { !used.contains($0) }) else { continue }
      fold(Set(members), as: id, of: &silent, into: &folded, lost)
    }
    return findings.filter { $0.id.kind != .silent || silent[$0.id] != nil } + folded
  }

  private func isNew(_ id: AlertID) -> Bool { stored.since(of: id) == nil }

  /// Whether the last sign of a person is about as old as the loss of a laptop.
  private func isLost(_ id: AlertID, with seconds: Int64) -> Bool {
    people[person(id)]?.age.map { abs($0.seconds - seconds) <= Self.togetherSeconds } ?? false
  }

  /// Returns those who became silent as a laptop was lost, while others will be silent soon: at
  /// most for `togetherSeconds`, and for a quarter of a short silence setting.
  private func waiting(of silent: some Sequence<AlertID>, _ lost: [UserID: Int64]) -> [AlertID] {
    let inContact = people.values.filter { !$0.has(.noContact) && !$0.has(.signedOff) }
    guard let longest = inContact.compactMap({ $0.age?.atMostSeconds }).max() else { return [] }
    return silent.filter { id in
      guard isNew(id), let age = people[person(id)]?.age, let most = age.atMostSeconds else {
        return false
      }
      let together = min(Self.togetherSeconds, most / 4)
      return longest >= most - together
        && lost.values.contains { abs($0 - age.seconds) <= together }
    }
  }

  private func fold(
    _ members: Set<AlertID>, as id: AlertID, of silent: inout [AlertID: Finding],
    into folded: inout [Finding], _ lost: [UserID: Int64]
  ) {
    let found = members.compactMap { silent[$0] }.sorted { $0.id < $1.id }
    guard found.count > 1 else { return }
    for finding in found { silent[finding.id] = nil }
    folded.append(
      Finding(
        id: id, level: .warning, phrase: phrase(of: found.map { person($0.id) }, lost),
        author: UserID(raw: id.row.raw),
        calls: found.map(AlertTracker.FoldedCall.init)))
  }

  private func person(_ id: AlertID) -> UserID { UserID(raw: id.row.raw) }

  /// Names the laptops that were in contact with this one, then the people behind them.
  private func phrase(of members: [UserID], _ lost: [UserID: Int64]) -> Phrase {
    let met = members.filter { lost[$0] != nil }.map(callsign).sorted()
    let others = members.filter { lost[$0] == nil }.map(callsign).sorted()
    // After a restart no path is known.
    guard !met.isEmpty else { return Phrase(.silent, ["names": SharedAlert.list(others)]) }
    guard !others.isEmpty else { return Phrase(.silent, ["names": SharedAlert.list(met)]) }
    return Phrase(
      met.count == 1 ? .silentBehindOne : .silentBehindMany,
      [
        "names": SharedAlert.list(met), "n": .count(others.count),
        "others": SharedAlert.list(others),
      ])
  }

  private func callsign(_ user: UserID) -> String { people[user]?.callsign ?? user.short }
}
