internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// Calls for help of one owner's trackers beyond `Limits.trackerCalls`, folded into one alert.
///
/// An owner can list trackers that do not exist, and people who are really in danger may carry
/// some. So no call is dropped, and none of them takes a place of others. The calls with alerts of
/// their own are those that were written first, by their positions in the logs: no later call of
/// one log replaces them, no claimed time counts, and the order of arrival does not either.
///
/// A call that command made for another's carrier, or for a login, never folds. Neither does that
/// of a person with a certificate, under duress or not.
struct CallFolding {
  let context: ReadContext
  let authors: AlertAuthors

  private typealias Finding = AlertTracker.Finding

  private struct Call {
    let finding: Finding
    /// The place of its earliest open claim in the log of its author.
    let sequence: UInt64
    let dot: Dot?
    /// Whether command made it for another.
    let isVouched: Bool

    static func isEarlier(_ left: Call, _ right: Call) -> Bool {
      if left.sequence != right.sequence { return left.sequence < right.sequence }
      guard let first = left.dot, let second = right.dot, first != second else {
        return left.finding.id < right.finding.id
      }
      return first < second
    }
  }

  /// Returns the findings with the further calls of each owner as one.
  func folding(_ findings: [AlertTracker.Finding]) throws -> [AlertTracker.Finding] {
    var byOwner: [UserID: [Finding]] = [:]
    for finding in findings where finding.id.kind == .help {
      guard let owner = authors.trackerOwner(of: finding.id) else { continue }
      byOwner[owner, default: []].append(finding)
    }
    var (folded, further): (Set<AlertID>, [Finding]) = ([], [])
    for (owner, found) in byOwner where found.count > Limits.trackerCalls {
      let calls = try found.map { try call($0, of: owner) }.filter { !$0.isVouched }
      let rest = calls.sorted(by: Call.isEarlier).dropFirst(Limits.trackerCalls).map(\.finding)
      guard !rest.isEmpty else { continue }
      folded.formUnion(rest.map(\.id))
      further.append(try finding(of: rest, owner: owner))
    }
    guard !further.isEmpty else { return findings }
    return findings.filter { !folded.contains($0.id) } + further
  }

  private func call(_ finding: Finding, of owner: UserID) throws -> Call {
    let row = try context.store.row(RowKey(kind: .tracker, id: finding.id.row))
    let open = Set(
      try row.map { try StatementReader(context: context).statements($0).openCalls.map(\.dot) }
        ?? [])
    let fields = PersonFields(.tracker)
    let values = (fields.claims + [fields.override]).flatMap { row?.values(of: $0) ?? [] }
      .filter { open.contains($0.dot) }
    let places = try context.store.positions(ofFrames: Array(Set(open.map(\.frame))))
    return Call(
      finding: finding, sequence: places.map(\.sequence).min() ?? .max, dot: open.min(),
      isVouched: values.contains {
        $0.role == .command && ($0.author != owner || $0.onBehalfOf != nil)
      })
  }

  private func finding(of calls: [Finding], owner: UserID) throws -> Finding {
    let id = AlertID(kind: .furtherCalls, row: RowID(raw: owner.raw))
    var names: [String] = []
    for call in calls.prefix(SharedAlert.names) { names.append(try authors.callsign(of: call.id)) }
    return Finding(
      id: id, level: .danger,
      phrase: Phrase(
        .furtherCalls,
        [
          "n": .count(calls.count), "owner": .text(try authors.callsign(of: id)),
          "names": SharedAlert.list(names, of: calls.count),
        ]),
      author: owner, isPersonsCall: true,
      calls: calls.map(AlertTracker.FoldedCall.init))
  }
}
