internal import MusterGeo
public import MusterLocation
public import MusterModel
internal import MusterReplica

/// The result of a tracker's report.
public enum TrackerReply: Hashable, Sendable {
  /// What can be used is stored; the rest is useless however often it is sent.
  case done
  /// Too early: to be sent again later.
  case tooFast
  /// The limit on trackers is reached.
  case tooMany
  /// Rejected for this reason: it can never be used.
  case refused(String)
  /// Nothing of it can be read.
  case invalid(ReadingFault)
  /// The disk failed: to be sent again later.
  case unavailable
}

/// A report of a tracker, to be evaluated against some fences.
public struct TrackerUpdate: Hashable, Sendable {
  /// The report. It MUST name its tracker.
  public let report: TrackerReport
  /// Fences that the tracker is not evaluated against.
  public let excluded: Set<RowID>
  /// Whether it belongs to a call for help that is within the rate of calls.
  let isUrgent: Bool

  /// Creates an update.
  public init(_ report: TrackerReport, without excluded: Set<RowID> = []) {
    self.init(report, isUrgent: false, without: excluded)
  }

  fileprivate init(_ report: TrackerReport, isUrgent: Bool, without excluded: Set<RowID> = []) {
    self.report = report
    self.excluded = excluded
    self.isUrgent = isUrgent
  }
}

/// How the sender of a report proves who it is.
public enum PhoneCredential: Hashable, Sendable {
  /// The token that all phones share, from this address: the message states any name.
  case shared(address: String)
  /// The secret or the session of a login, which names the person.
  case login
}

/// Reports of phones and other trackers, on their way through the limits of the node to its
/// replica. A call for help comes first, and depends on nothing else of its message.
///
///     report ─▶ call for help ─▶ MAYDAY, or an unverified call
///       └────▶ position, else contact
public enum TrackerReports {
  /// Processes a report of a phone. On return all that could be used of it is durable.
  public static func receive(
    _ report: TrackerReport, by credential: PhoneCredential, at node: isolated Node
  ) async -> TrackerReply {
    await node.untilPeersAnswered()
    if report.isUnreadable {
      if let name = report.tracker { node.location.phoneNotes.count(report.omissions, of: name) }
      return .invalid(.encrypted)
    }
    guard let name = report.tracker else {
      guard report.isCall else { return .invalid(.nameless) }
      return await raiseUnverified(
        report, credential, "the message names no phone", .sharedToken, at: node)
    }
    do {
      if case .shared = credential, try node.namesOtherPerson(name) {
        node.location.phoneNotes.count([.otherPerson], of: name)
        guard report.isCall else { return .done }
        return await raiseUnverified(
          report, credential, "the person has a login or a laptop of their own", .sharedToken,
          at: node)
      }
    } catch {
      return answer(to: error, at: node)
    }
    guard report.isCall else {
      return await receive([TrackerUpdate(report)], as: credential.standing, at: node)[0]
    }
    let (call, isUrgent) = await raise(report, name, credential, at: node)
    guard call == .done else { return call }
    let reply = await receive(
      [TrackerUpdate(report, isUrgent: isUrgent)], as: credential.standing, at: node)[0]
    // A stored call for help is never answered by a refusal.
    switch reply {
    case .unavailable: return .unavailable
    case .tooFast: node.location.phoneNotes.count([.tooFast], of: name)
    case .done, .tooMany, .refused, .invalid: break
    }
    return .done
  }

  /// Processes a report with the credentials of a login that was removed or changed: its call for
  /// help is unverified, and nothing else counts.
  public static func receive(
    _ report: TrackerReport, ofFormerLogin login: String, from address: String,
    at node: isolated Node
  ) async -> TrackerReply {
    guard report.isCall else { return .done }
    var report = report
    report.tracker = TrackerName(login, longestBytes: Limits.lineBytes)
    return await raiseUnverified(
      report, .shared(address: address), "by an app of a login that was removed or changed",
      .removedLogin, at: node)
  }

  /// Processes a report of the phone of this device's user: a fix of this device, and the user's
  /// call for help. On return the call is durable.
  public static func receiveOwn(
    _ report: TrackerReport, at node: isolated Node
  ) async -> TrackerReply {
    await node.untilPeersAnswered()
    if report.isUnreadable {
      node.location.phoneNotes.count(report.omissions, of: nil)
      return .invalid(.encrypted)
    }
    if report.isCall {
      do {
        let call = try node.phoneCall(of: report, by: .login, from: nil)
        try node.attempt { try $0.write(PersonRequests.raise(call), now: $1) }
      } catch {
        return answer(to: error, at: node)
      }
    }
    guard node.location.admitsOwnReport(isCall: report.isCall, now: SystemClock.instant) else {
      node.location.phoneNotes.count([.tooFast], of: nil)
      return report.isCall ? .done : .tooFast
    }
    do {
      let (age, now) = try node.read { replica, now in
        (try node.location.phones.age(of: nil, report, in: replica, now: now), now.instant)
      }
      try node.receiveOwnPosition(of: report, age: age)
      node.location.phoneNotes.record(
        report, of: nil, age: report.position.map { _ in age }, now: now)
      return .done
    } catch {
      return answer(to: error, at: node)
    }
  }

  /// Processes position reports of programs, as `receive(_:as:at:)` does. A person who has a
  /// login here states their own position: no program does.
  public static func receiveOfProgram(
    _ updates: [TrackerUpdate], at node: isolated Node
  ) async -> [TrackerReply] {
    let people = Set(node.location.loginNames().map { $0.lowercased() })
    let haveLogins = updates.map { update in
      update.report.tracker.map { people.contains($0.description.lowercased()) } ?? false
    }
    let others = zip(updates, haveLogins).filter { !$1 }.map(\.0)
    var replies = await receive(others, at: node)[...]
    return haveLogins.map { hasLogin in
      hasLogin
        ? .refused("this person has a login, which states their position")
        : replies.popFirst() ?? .unavailable
    }
  }

  /// Processes position reports of trackers in their order, with one commit. On return they are
  /// durable. Alarms are not evaluated.
  public static func receive(
    _ updates: [TrackerUpdate], as standing: TrackerGate.Standing = .proven,
    at node: isolated Node
  ) async -> [TrackerReply] {
    await node.untilPeersAnswered()
    let before = node.location.trackers
    var replies: [TrackerReply] = []
    var fixes: [(place: Int, fix: TrackedFix)] = []
    for (place, update) in updates.enumerated() {
      let (reply, fix) = admit(update, as: standing, at: node)
      replies.append(reply)
      if let fix { fixes.append((place, fix)) }
    }
    guard !fixes.isEmpty else { return replies }
    do {
      for (entry, reply) in zip(fixes, try store(fixes.map(\.fix), at: node)) {
        replies[entry.place] = reply
      }
    } catch {
      // What makes one of them fail must not cost those before it; a disk that fails costs all.
      var failure: TrackerReply?
      for entry in fixes {
        do {
          replies[entry.place] = try failure ?? store([entry.fix], at: node)[0]
        } catch {
          let reply = answer(to: error, at: node)
          replies[entry.place] = reply
          if reply == .unavailable { failure = reply }
        }
      }
    }
    // Their phones send these again.
    let lost = fixes.lazy.filter { replies[$0.place] == .unavailable }.compactMap {
      updates[$0.place].report.tracker
    }
    node.location.withdraw(fixesOf: Set(lost), since: before)
    return replies
  }

  // MARK: Calls for help

  /// Writes the call for help of a report: as a MAYDAY of its person, who is listed at once; or as
  /// an unverified call if there is no place for another person. Returns whether it is within the
  /// rate of calls.
  private static func raise(
    _ report: TrackerReport, _ name: TrackerName, _ credential: PhoneCredential,
    at node: isolated Node
  ) async -> (TrackerReply, isUrgent: Bool) {
    var isUrgent = false
    do {
      let hasPlace = try node.read { replica, now in
        let hasPlace = try node.location.admits(
          name, as: max(credential.standing, .call), known: replica.queries.trackerNames(),
          now: now)
        isUrgent = node.location.isWithinRateOfCalls(name, now: now)
        return hasPlace
      }
      guard hasPlace else {
        let reply = await raiseUnverified(
          report, credential, "this laptop records no further phone", .beyondBound, at: node)
        return (reply, isUrgent)
      }
      let call = try node.phoneCall(
        of: report, by: credential, from: name, isWithinRate: isUrgent)
      try node.attempt { try $0.enlistTracker(named: name.description, now: $1) }
      try node.attempt {
        try $0.write(PersonRequests.raise(call, ofTracker: name.description), now: $1)
      }
      return (.done, isUrgent)
    } catch let refusal as Refusal {
      // Such as a tracker that was removed, or a laptop whose role publishes none.
      let reply = await raiseUnverified(
        report, credential, "\(refusal)", .unstated, at: node)
      return (reply, isUrgent)
    } catch {
      return (answer(to: error, at: node), isUrgent)
    }
  }

  private static func raiseUnverified(
    _ report: TrackerReport, _ credential: PhoneCredential, _ reason: String,
    _ cause: UnverifiedCause, at node: isolated Node
  ) async -> TrackerReply {
    var address = ""
    if case .shared(let from) = credential { address = from }
    let made: Timestamp? = if case .stated(let time) = report.time { time } else { nil }
    do {
      try await node.raiseUnverifiedCall(
        UnverifiedCall(
          // Without a name, what calls from one address is taken for one phone.
          credential: "phone token \(report.tracker?.description ?? "from \(address)")",
          name: report.tracker?.description ?? "", address: address,
          note: "\(report.alarm?.word ?? ""): \(reason)", position: report.position,
          madeAt: made, cause: cause))
      return .done
    } catch {
      // No other answer makes an app keep the call and send it again.
      node.logger.error("a call for help could not be stored: \(error)")
      return .unavailable
    }
  }

  // MARK: Positions

  /// Limits and orders a report. Returns the fix if it is to be stored.
  private static func admit(
    _ update: TrackerUpdate, as standing: TrackerGate.Standing, at node: isolated Node
  ) -> (TrackerReply, TrackedFix?) {
    let report = update.report
    guard let name = report.tracker else {
      return (.invalid(.nameless), nil)
    }
    do {
      let (answer, age): (TrackerGate.Answer, SampleAge) = try node.read { replica, now in
        let answer = try node.location.judge(
          report, of: name, as: standing, isUrgent: update.isUrgent,
          known: replica.queries.trackerNames(), now: now)
        guard answer != .tooFast, answer != .tooMany else { return (answer, .unknown) }
        let age = try node.location.phones.age(of: name, report, in: replica, now: now)
        node.location.phoneNotes.record(
          report, of: name, age: report.position.map { _ in age }, now: now.instant)
        return (answer, age)
      }
      switch answer {
      case .taken(let fix, let isLate):
        if isLate { node.location.watch.count("late from a phone") }
        let tracked = TrackedFix(
          fix, of: name.description, batteryPercent: report.batteryPercent,
          isMoving: report.isMoving, without: update.excluded, age: age)
        return (.done, tracked)
      case .refused(let refusal):
        node.location.watch.count("\(refusal.rawValue), by a phone")
        if let omission = TrackerReport.Omission(refusal) {
          node.location.phoneNotes.count([omission], of: name)
        }
        // A position that is not used shows that the phone is in contact; a repeated one does not.
        if refusal != .old { try node.recordContact(of: name, by: report) }
      case .contact: try node.recordContact(of: name, by: report)
      case .tooFast: return (.tooFast, nil)
      case .tooMany: return (.tooMany, nil)
      }
      return (.done, nil)
    } catch {
      return (answer(to: error, at: node), nil)
    }
  }

  private static func store(
    _ fixes: [TrackedFix], at node: isolated Node
  ) throws -> [TrackerReply] {
    var refusals: [Refusal?] = []
    try node.attempt { replica, now in
      let stored = try replica.ingest(fixes, now: now)
      refusals = stored.refusals
      return stored.outcome
    }
    return refusals.map { $0.map { .refused("\($0)") } ?? .done }
  }

  private static func answer(to error: any Error, at node: isolated Node) -> TrackerReply {
    if let refusal = error as? Refusal { return .refused("\(refusal)") }
    node.logger.error("\(error)")
    return .unavailable
  }
}

extension PhoneCredential {
  fileprivate var standing: TrackerGate.Standing {
    switch self {
    case .shared: .shared
    case .login: .proven
    }
  }
}

extension TrackerReport.Omission {
  fileprivate init?(_ refusal: FixRefusal) {
    switch refusal {
    case .nowhere: self = .nowhere
    case .vague: self = .vague
    case .jump: self = .jump
    case .old: return nil
    }
  }
}

extension Node {
  /// Whether the user of this device may now set a position on the page of their phone, without a
  /// sample of the phone. It uses the rate of the phone's positions, as ten of them.
  public func admitsOwnPlace() -> Bool {
    location.admitsOwnReport(as: 10, now: SystemClock.instant)
  }

  /// Records that a phone is in contact without a position that can be used, and lists its person.
  fileprivate func recordContact(of name: TrackerName, by report: TrackerReport) throws {
    try attempt {
      try $0.recordContact(
        ofTracker: name.description, batteryPercent: report.batteryPercent, now: $1)
    }
  }

  /// Whether a name under the shared token is that of a person who has a login of this node, or a
  /// device: what such a message states about them is not proven.
  fileprivate func namesOtherPerson(_ name: TrackerName) throws -> Bool {
    let key = name.description.lowercased()
    if location.loginNames().contains(where: { $0.lowercased() == key }) { return true }
    return try read { replica, _ in replica.hasUser(called: key) }
  }

  /// The call for help of a report.
  fileprivate func phoneCall(
    of report: TrackerReport, by credential: PhoneCredential, from name: TrackerName?,
    isWithinRate: Bool = true
  ) throws -> PhoneCall {
    try read { replica, now in
      let age = try location.phones.age(of: name, report, in: replica, now: now)
      return PhoneCall(
        report, by: credential, age: age, received: now.wall, isWithinRate: isWithinRate)
    }
  }
}

extension PhoneCall {
  private static let plainWords: Set<String> = ["sos", "true", "1"]
  /// Calls that are older than this when they arrive show both times.
  private static let delayMilliseconds: Int64 = 60_000

  /// Its note states how the call came, and both times if it was delayed.
  fileprivate init(
    _ report: TrackerReport, by credential: PhoneCredential, age: SampleAge,
    received: Timestamp, isWithinRate: Bool
  ) {
    let made: Timestamp? = if case .stated(let time) = report.time { time } else { nil }
    var alarm: [String: Phrase.Value] = [:]
    if let word = report.alarm?.word, !Self.plainWords.contains(word.lowercased()) {
      alarm["word"] = .text(word)
    }
    alarm["battery"] = report.batteryPercent.map { .count(Int($0)) }
    if let made, let age = age.leastMilliseconds, age > Self.delayMilliseconds {
      (alarm["made"], alarm["received"]) = (.text("\(made)"), .text("\(received)"))
    }
    var parts: [Phrase.Value] = [.phrase(.phoneAlarm, alarm)]
    if case .shared(let address) = credential {
      parts.append(.phrase(.sharedToken, ["address": .text(address)]))
    }
    self.init(
      word: report.alarm?.word ?? "", madeAt: made, note: CallNote(parts).text,
      isWithinRate: isWithinRate)
  }
}
