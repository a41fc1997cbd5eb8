internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// What this device holds about a person, as far as an override or a sign-off names or settles it.
struct PersonEvidenceReader {
  let context: ReadContext
  let checkIns: CheckInIndex

  init(_ statuses: StatusQueries) {
    context = statuses.context
    checkIns = statuses.checkInIndex
  }

  func accounting(
    for user: UserID, _ state: RowState, note: String, away: [DeviceID]
  ) throws -> Accounting {
    let positions = try context.devicePositions().filter { $0.user == user }
    let devices = Set(
      context.control.admissions.map(\.signed.certificate.author).filter { $0.user == user }
        .map(\.device) + positions.map(\.device))
    let away = Set(away)
    if let stranger = away.subtracting(devices).min() {
      throw Refusal(
        "\(stranger.short) is not a device of \(try context.callsign(of: user)): "
          + "see muster device list", .unknown)
    }
    guard away.count <= Limits.seenPositions else {
      throw Refusal("at most \(Limits.seenPositions) devices can be away")
    }
    // Those that count against the person first: a device that is away never does.
    let weighed = positions.sorted { left, right in
      let (leftAway, rightAway) = (away.contains(left.device), away.contains(right.device))
      if leftAway != rightAway { return rightAway }
      let (leftTime, rightTime) = (left.report.reportedAt, right.report.reportedAt)
      return leftTime != rightTime ? leftTime > rightTime : left.device < right.device
    }
    return Accounting(
      note: note, claims: Self.claimsSeen(in: state), rows: try openOrders(for: user),
      positions: weighed.prefix(Limits.seenPositions)
        .map { SeenPosition(device: $0.device, order: $0.fixOrder) }
        .sorted { $0.device < $1.device },
      away: away.sorted())
  }

  /// Returns the live claims of a person, help claims first.
  static func claimsSeen(in state: RowState) -> [Dot] {
    let claims = PersonFields(state.key.kind).claims.flatMap { state.values(of: $0) }
    let calls = claims.filter { SafetyStanding.claim(of: $0.value)?.claim == .needsHelp }
    let others = claims.filter { SafetyStanding.claim(of: $0.value)?.claim != .needsHelp }
    return (calls + others).prefix(Limits.overruledClaims).map(\.dot)
  }

  /// Returns the running check-ins of a person and the open orders that an accounting or sign-off
  /// settles: of these first those that name the person, then the others, since an order's audience
  /// may change; each part the newest first.
  func openOrders(for user: UserID) throws -> [RowID] {
    let orders = try openOrders(addressing: user)
    let sorted = orders.sorted { left, right in
      if left.isTheirs != right.isTheirs { return left.isTheirs }
      let moments = (left.row.createdAt, right.row.createdAt)
      if let first = moments.0, let second = moments.1, first != second { return first > second }
      return left.row.key.id < right.row.key.id
    }.map(\.row.key.id)
    let timers = checkIns.running(of: user)
    return Array((timers.prefix(Limits.seenRows / 2) + sorted).prefix(Limits.seenRows))
  }

  /// Returns why a person should not sign off yet, and what to do.
  func obstacle(to user: UserID, _ state: RowState) throws -> String? {
    if try !StatementReader(context: context).statements(state).openCalls.isEmpty {
      return "has an open call for help: answer it with `muster user override`"
    }
    let names = try openOrders(addressing: user).filter(\.isTheirs).map {
      "\($0.row.directiveKind.label) \($0.row.key.id.short)"
    }
    guard let first = names.first else { return nil }
    let what =
      names.count == 1
      ? "is named by an open order, \(first): close it"
      : "is named by \(names.count) open orders, \(first) among them: close them"
    return what + " with `muster order close`, or answer with `muster ack --for`,"
  }

  /// Returns the open orders, and whether each addresses a person.
  private func openOrders(
    addressing user: UserID
  ) throws -> [(row: RowState, isTheirs: Bool)] {
    let open = try context.store.rows(.directive).filter {
      $0.exists && $0.isOpenDirective && $0.directiveKind.isOrder
    }
    guard !open.isEmpty else { return [] }
    let tracker = try context.store.row(RowKey(kind: .tracker, id: RowID(raw: user.raw)))
    let row = try tracker ?? context.store.row(RowKey(kind: .user, id: RowID(raw: user.raw)))
    let roles = context.control.admissions.map(\.signed.certificate.author).filter {
      $0.user == user
    }
    let role = roles.map(\.role).min { $0.rawValue < $1.rawValue } ?? .member
    let team = row?.text(tracker == nil ? .userTeam : .trackerTeam) ?? ""
    return open.map { directive in
      let isTheirs = Audience(of: directive).includes(
        user, role: role, team: team, isTracker: tracker != nil, of: directive.directiveKind,
        by: directive.owner)
      return (directive, isTheirs)
    }
  }
}
