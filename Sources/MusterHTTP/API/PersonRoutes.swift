internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode

/// Self-reports, and command's statements about people.
///
/// A logged-in person reports as the user that their login is bound to, never as the node's own
/// user.
enum PersonRoutes {
  static let routes: [Route] = ownCall + ownWrites + peopleWrites

  private static let word: [Shape.Member] = [
    .must("safety", .choice(["safe", "help"])), .may("note", .paragraphs),
  ]
  /// The report of a person's own safety.
  static let claimShape = Shape.object(word, least: 1)

  private static let ownCall: [Route] = [
    Route(
      .get, "/api/v1/me/call", "Get what became of your call for help; null without one",
      rights: .read,
      result: .json(.open([.must("call", .nullable(.named("Call")))]))
    ) { api, call in
      if let person = call.person, person.user == nil { return .ok(.object(["call": .null])) }
      let standing = try await api.standing(ofCallOf: call.person?.user)
      return .ok(.object(["call": standing?.json ?? .null]))
    }
  ]

  private static let ownWrites: [Route] = [
    Route(
      .put, "/api/v1/me/safety", "Report that you are safe, or need help", rights: .safety,
      body: claimShape, result: .done, datedText: "note", salvages: true
    ) { api, call in
      let note = call.text("note") ?? ""
      guard let person = call.person else {
        return try await api.done(.claimSafety(call.claim, note: note))
      }
      let user = try person.boundUser()
      if let pause = person.callPause {
        guard call.claim == .needsHelp else {
          throw Problem(
            "this login sends too much: wait a minute, and send it again", waiting: pause)
        }
        // A call is never refused. One that stands already is not stored once more.
        guard try await api.standing(ofCallOf: person.user)?.isOpen != true else {
          return Answer(.noContent)
        }
      }
      try api.logins?.claims.admit(call.claim, of: person.name, actedAt: call.actedAt)
      let marked = person.marking(note)
      guard !person.isCarrier else {
        return try await api.done(.claimSafetyOf(tracker: user, call.claim, note: marked))
      }
      return try await api.done(
        .relayClaim(call.claim, note: marked, login: person.name, user: user))
    },
    Route(
      .put, "/api/v1/me/team", "Set your team", rights: .ownReport,
      body: .object([.must("team", .line)], least: 1), result: .done
    ) { api, call in
      try await api.done(.setTeam(call.text("team") ?? "", user: call.speaker()))
    },
    Route(
      .post, "/api/v1/me/position",
      "Set the position of this device, also by its user's login, or that of a login's phone",
      rights: .position,
      body: .object(
        [
          .must("lat", .latitude), .must("lon", .longitude),
          .may("accuracyMetres", .number(0...1_000_000)), .may("sampleTime", .time),
        ], least: 2),
      result: .done, salvages: true
    ) { api, call in
      guard let place = call.place else { throw Problem(.badRequest, "coordinates out of range") }
      let accuracy = call.number("accuracyMetres").map { UInt32(($0 * 10).rounded()) }
      let stated = call.text("sampleTime").flatMap { Timestamp(rfc3339: $0) }
      let isTimeUnreadable = call.content.leftOut.contains("sampleTime")
      let isWritable = stated.map(Timestamp.writable.contains) ?? !isTimeUnreadable
      guard let person = call.person, person.isCarrier || stated != nil || isTimeUnreadable else {
        // Set by hand.
        guard isWritable else {
          throw Problem(.unprocessableContent, "the time is out of range", at: "/sampleTime")
        }
        if call.person != nil, await !api.node.admitsOwnPlace() { throw tooFast }
        return try await api.done(
          .setPosition(
            Fix(
              position: place, accuracyDecimetres: accuracy,
              sampleTime: stated ?? SystemClock.wall)))
      }
      let time = stated ?? SystemClock.wall
      let report = TrackerReport(
        tracker: nil, position: place, accuracyDecimetres: accuracy,
        time: isWritable ? .stated(time) : .unknown, omissions: omissions(of: call),
        measuredAge: isWritable ? call.age(ofSample: time) : nil)
      return try await receive(report, of: person, at: api.node)
    },
  ]

  private static func omissions(of call: Call) -> Set<TrackerReport.Omission> {
    let known: [String: TrackerReport.Omission] = [
      "accuracyMetres": .accuracy, "sampleTime": .time,
    ]
    return Set(call.content.leftOut.compactMap { known[$0] })
  }

  private static let tooFast = Problem(
    .tooManyRequests, "too many positions: send the rest later")

  /// Reports a phone's position by the way of tracker apps.
  private static func receive(
    _ report: TrackerReport, of person: Person, at node: Node
  ) async throws -> Answer {
    let reply: TrackerReply
    if person.isCarrier {
      guard let name = TrackerName(person.name, longestBytes: Limits.lineBytes) else {
        throw Problem.unexpected
      }
      reply = await TrackerReports.receive(report.renamed(name), by: .login, at: node)
    } else {
      reply = await TrackerReports.receiveOwn(report, at: node)
    }
    switch reply {
    case .done: return Answer(.noContent)
    case .tooFast: throw tooFast
    case .tooMany: throw Problem(.forbidden, "this node has no room for another tracker")
    case .refused(let reason): throw Problem(.forbidden, reason)
    case .invalid(let fault): throw Problem(.badRequest, fault.rawValue)
    case .unavailable: throw Problem(.serviceUnavailable, "the node cannot store it now")
    }
  }

  private static let peopleWrites: [Route] = [
    Route(
      .put, "/api/v1/users/{id}/override", "Override a person's safety", rights: .command,
      body: .object(word + [.may("away", .list(.text, most: Limits.seenPositions))], least: 1),
      result: .done
    ) { api, call in
      let away = call["away"]?.elements?.compactMap(\.word) ?? []
      return try await api.done(
        .overrideSafety(
          user: call.id, call.claim, note: call.text("note") ?? "", away: away))
    },
    Route(
      .delete, "/api/v1/users/{id}/override", "Withdraw an override", rights: .command,
      result: .done
    ) { api, call in
      try await api.done(.overrideSafety(user: call.id, nil, note: ""))
    },
    Route(
      .put, "/api/v1/users/{id}/safety",
      "Report for the carrier of a tracker that they are safe, or need help",
      rights: .urgentCommand,
      body: claimShape, result: .done, datedText: "note", salvages: true
    ) { api, call in
      try await api.done(
        .claimSafetyOf(tracker: call.id, call.claim, note: call.text("note") ?? ""))
    },
    Route(
      .put, "/api/v1/users/{id}/signoff", "Sign a person off", rights: .command,
      body: .object([.must("reason", .paragraphs), .may("confirmed", .flag)], least: 1),
      result: .done
    ) { api, call in
      try await api.done(
        .signOff(
          user: call.id, reason: call.text("reason") ?? "",
          isConfirmed: call["confirmed"] == .bool(true)))
    },
    Route(
      .delete, "/api/v1/users/{id}/signoff", "Sign a person on again", rights: .command,
      result: .done
    ) { api, call in
      try await api.done(.signOn(user: call.id, reason: ""))
    },
    Route(
      .put, "/api/v1/users/{id}/team", "Set a person's team, as command", rights: .command,
      body: .object([.must("team", .line)], least: 1), result: .done
    ) { api, call in
      try await api.done(.setTeam(call.text("team") ?? "", user: call.id))
    },
    Route(
      .put, "/api/v1/users/{id}/phone-clock",
      "State that the clock of a phone that reports here is behind, as command; 0 for not",
      rights: .command,
      body: .object(
        [.must("behindSeconds", .integer(0...Int64(Limits.spanSeconds)))], least: 1),
      result: .done
    ) { api, call in
      let seconds = UInt32(clamping: call.integer("behindSeconds") ?? 0)
      return try await api.done(.setPhoneClock(user: call.id, behindSeconds: seconds))
    },
  ]
}

extension Call {
  var claim: SafetyClaim { text("safety") == "safe" ? .safe : .needsHelp }

  /// The user that the request reports for: nil for the node's own user. Throws for a login that is
  /// not bound to a user.
  func speaker() throws(Problem) -> String? { try person?.boundUser() }
}

extension API {
  /// What became of the call for help of a user; nil without one that stands.
  ///
  /// - Parameter user: nil for the node's own.
  fileprivate func standing(ofCallOf user: UserID?) async throws -> CallStanding? {
    guard case .call(let standing) = try await ask(.call(of: user)) else {
      throw Problem.unexpected
    }
    return standing
  }
}

extension Person {
  /// Throws for a login that is not bound to a user.
  func boundUser() throws(Problem) -> String {
    guard let user else { throw .unbound(name) }
    return "\(user)"
  }
}
