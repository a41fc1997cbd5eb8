/// Who may use a route, what it costs the node, and the limits of its requests. Each route
/// declares them; its listener enforces them before the handler runs (`AdmittedRequest`).
///
///     request ─▶ route ─▶ kind of client ─▶ extent ─▶ share of writes ─▶ body ─▶ handler
///                404, 405                   401, 403  429                413
///
/// The role of the node's own device is checked behind this, by the node, for every client.
struct RouteRights: Sendable {
  /// How far a kind of client may use a route.
  enum Extent: String, Sendable {
    case yes
    /// Only for the client's own person, or for what its login wrote.
    case own
    /// Only for what its login did not write.
    case others
    /// Only from this machine.
    case here
    /// Only a call for help, which arrives as one whose caller is not proven.
    case unverified
  }

  /// What a request costs the node.
  enum Cost: String, CaseIterable, Sendable {
    /// A call for help, its cancellation, an answer, a check-in or a position: it waits for no
    /// read, and for no connection of its login.
    case urgent
    case write
    /// A read that costs what its answer costs.
    case read
    /// A read that costs more, such as a search in the past.
    case dearRead
    /// The list of alerts, which waits for no other read of its reader.
    case alarmRead
    /// An answer without an end.
    case stream
    /// A body or an answer of many megabytes.
    case transfer

    /// The name in documents.
    var name: String {
      switch self {
      case .dearRead: "dear read"
      case .alarmRead: "alarm read"
      case .urgent: "urgent write"
      default: rawValue
      }
    }
  }

  /// The logins that report by a route, below the rights of command.
  enum Speaker: Sendable {
    /// One with a person: that it is bound to, or the carrier of its phone.
    case person
    /// The same, if an order addresses the person: no new carrier is listed.
    case addressee
    /// One whose positions this node records: of a phone, or of this device's own user.
    case position
    /// One of a phone; by the rights of command also another with a person.
    case phone
  }

  /// The kinds of clients that may use the route. Every other kind is refused.
  private(set) var extents: [ClientKind: Extent]
  let cost: Cost
  /// The share from which writes of logins without the rights of command are taken; nil for a route
  /// whose requests replace one another, or are of command.
  private(set) var limit: WriteLimits.Kind?
  /// The most bytes of a body.
  private(set) var bodyBytes: Int
  private(set) var speaker: Speaker?
  /// Why a login that may not use the route is refused; nil for a reason by its rights.
  private(set) var reason: String?

  /// The kinds of logins.
  static let logins: [ClientKind] = [.observer, .member, .lockedCommand, .command]

  private static func granting(
    _ cost: Cost, _ kinds: [ClientKind], as extent: Extent = .yes
  ) -> RouteRights {
    let extents = Dictionary(uniqueKeysWithValues: kinds.map { ($0, extent) })
    let takesBody = [.urgent, .write].contains(cost)
    return RouteRights(
      extents: extents, cost: cost, bodyBytes: takesBody ? RequestLimits.bodyBytes : 0)
  }

  // MARK: Reads

  /// A read for every login.
  static let read = granting(.read, logins + [.laptop])
  /// A read for every login that costs more than its answer.
  static let dearRead = granting(.dearRead, logins + [.laptop])
  /// The alerts, for every login.
  static let alarmRead = granting(.alarmRead, logins + [.laptop])
  /// A stream of changes for every login.
  static let stream = granting(.stream, logins + [.laptop])
  /// A file for every login.
  static let download = granting(.transfer, logins + [.laptop])
  /// A read that shows that the node runs: on its own machine without a token.
  static let probe = read.also(.here, [.stranger])

  /// A read for command.
  ///
  /// - Parameter what: what is read, in the plural.
  static func commandRead(_ what: String) -> RouteRights {
    granting(.read, [.command, .laptop]).refusing("\(what) are for command")
  }

  // MARK: Writes

  /// A write for command.
  static let command = granting(.write, [.command, .laptop])
  /// A file with zones, for command.
  static let zoneFile = granting(.transfer, [.command, .laptop])
    .limited(nil, bytes: RequestLimits.zoneFileBytes)
  /// A write for command that ends or answers an alarm.
  static let urgentCommand = granting(.urgent, [.command, .laptop])

  /// A report, or a comment on one.
  static let addition = granting(.write, [.member, .command, .laptop])
    .limited(.addition, bytes: RequestLimits.textBytes)
  /// A photo of a report.
  static let photo = granting(.transfer, [.member, .command, .laptop])
    .limited(.addition, bytes: RequestLimits.photoBytes)
  /// A change of a report.
  static let correction = granting(.write, [.command, .laptop]).also(.own, [.member])
    .limited(.addition, bytes: RequestLimits.textBytes)
  /// A confirmation of a report, which its author does not give.
  static let confirmation = granting(.write, [.laptop]).also(.others, [.member, .command])
    .limited(.addition, bytes: RequestLimits.textBytes)

  /// A call for help, or its cancellation.
  static let safety = granting(.urgent, [.laptop] + logins + [.helpOnly], as: .own)
    .also(.unverified, [.removed]).spoken(by: .person)
    .limited(.safety, bytes: RequestLimits.bodyBytes)
  /// The position of a login's person. The newest replaces the one before.
  static let position = granting(.urgent, [.laptop] + logins + [.helpOnly], as: .own)
    .spoken(by: .position).limited(nil, bytes: RequestLimits.textBytes)
  /// A check-in.
  static let checkIn = granting(.urgent, [.observer, .member, .lockedCommand], as: .own)
    .also(.yes, [.command, .laptop]).spoken(by: .person)
    .limited(.answer, bytes: RequestLimits.textBytes)
  /// An answer to an order, or its withdrawal.
  static let answer = granting(.urgent, [.observer, .member, .lockedCommand], as: .own)
    .also(.yes, [.command, .laptop]).spoken(by: .addressee)
    .limited(.answer, bytes: RequestLimits.textBytes)
  /// What a person states about themselves, other than safety.
  static let ownReport = granting(.write, [.laptop] + logins, as: .own).spoken(by: .phone)
    .limited(.ownReport, bytes: RequestLimits.textBytes)

  // MARK: Others

  /// A route for the node's own user alone.
  ///
  /// - Parameters:
  ///   - reason: why logins are refused, and where to do it instead.
  ///   - bytes: the most bytes of a body; nil for those of the cost class.
  static func laptop(_ cost: Cost, _ reason: String, bytes: Int? = nil) -> RouteRights {
    let rights = granting(cost, [.laptop]).refusing(reason)
    return bytes.map { rights.limited(nil, bytes: $0) } ?? rights
  }

  /// A route for these clients, which their responder distinguishes by their credentials.
  static func only(
    _ cost: Cost, _ kinds: [ClientKind], bytes: Int = 0, as extent: Extent = .yes
  ) -> RouteRights {
    granting(cost, kinds, as: extent).limited(nil, bytes: bytes)
  }

  private func also(_ extent: Extent, _ kinds: [ClientKind]) -> RouteRights {
    var rights = self
    for kind in kinds { rights.extents[kind] = extent }
    return rights
  }

  private func limited(_ kind: WriteLimits.Kind?, bytes: Int) -> RouteRights {
    var rights = self
    (rights.limit, rights.bodyBytes) = (kind, bytes)
    return rights
  }

  private func spoken(by speaker: Speaker) -> RouteRights {
    var rights = self
    rights.speaker = speaker
    return rights
  }

  private func refusing(_ reason: String) -> RouteRights {
    var rights = self
    rights.reason = reason
    return rights
  }
}
