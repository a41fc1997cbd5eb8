internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Timers by which people must check in. A logged-in person reports as the user that their login is
/// bound to.
enum CheckInRoutes {
  /// A report that waited longer to be sent shows nothing of now.
  private static let latestSeconds = 300

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/checkins", "List the check-ins, the next one due first", rights: .read,
      result: .json(
        .open([.must("items", .list(.named("CheckIn"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .checkIns(let timers) = try await api.ask(.checkIns) else {
        throw Problem.unexpected
      }
      return .ok(
        .object(["items": .array(timers.prefix(Int(Rows.mostPerPage)).map(\.json))]))
    },
    Route(
      .post, "/api/v1/checkins", "Start check-ins for yourself, people, a team or a role",
      rights: .checkIn,
      body: .object(
        [
          .must("durationSeconds", .integer(1...Int64(Limits.spanSeconds))),
          .may("repeats", .flag),
          .may("graceSeconds", .integer(0...Int64(Limits.spanSeconds))),
          .may("reminderSeconds", .integer(0...Int64(Limits.spanSeconds))),
          .may(
            "stillSeconds",
            .integer(Int64(Limits.leastStillSeconds)...Int64(Limits.spanSeconds))),
          .may("note", .paragraphs), .may("users", .list(.text, most: Limits.namesPerGroup)),
          .may("team", .line), .may("role", .choice(Role.allCases.map(\.name))),
          .may("pin", .text),
        ], least: 1),
      result: .json(.open([.must("ids", .list(.reference, most: Limits.namesPerGroup))]))
    ) { api, call in
      var timer = CheckInDraft(
        durationSeconds: UInt32(clamping: call.integer("durationSeconds") ?? 0),
        repeats: call["repeats"] == .bool(true),
        graceSeconds: UInt32(
          clamping: call.integer("graceSeconds") ?? Int64(CheckInDraft.usualGraceSeconds)),
        reminderSeconds: UInt32(clamping: call.integer("reminderSeconds") ?? 60),
        note: call.text("note") ?? "")
      timer.stillSeconds = UInt32(clamping: call.integer("stillSeconds") ?? 0)
      var order = CheckInOrder(
        people: call["users"]?.elements?.compactMap(\.word) ?? [],
        team: call.text("team") ?? "", role: call.text("role").flatMap { Role(name: $0) },
        timer: timer, pin: call.text("pin"), isOfLogin: call.person?.speaksForItself == true)
      if order.people.isEmpty, order.team.isEmpty, order.role == nil,
        let speaker = try call.speaker()
      {
        order.people = [speaker]
      }
      if order.isOfLogin {
        guard order.team.isEmpty, order.role == nil, order.people == [try call.speaker()] else {
          throw Problem(
            .forbidden, "this login starts check-ins for its own person only: ask command")
        }
      }
      return try await api.naming {
        guard case .createdAll(let ids) = try await api.ask(.startCheckIn(order)) else {
          throw Problem.unexpected
        }
        return .ok(.object(["ids": .array(ids.map(JSON.id))]))
      }
    },
    Route(
      .post, "/api/v1/checkins/report",
      "Check in, extend or stop: one check-in, or all that a person owes", rights: .checkIn,
      body: .object(
        [
          .must("kind", .choice(CheckInReportKind.allCases.map(\.name))), .may("user", .text),
          .may("timer", .reference),
          .may("seconds", .integer(1...Int64(Limits.spanSeconds))), .may("note", .paragraphs),
          .may("pin", .text),
        ], least: 1),
      result: .done, datedText: "note", salvages: true
    ) { api, call in
      guard let kind = call.text("kind").flatMap(CheckInReportKind.init(name:)) else {
        throw Problem(.badRequest, "no such kind of report")
      }
      guard call.secondsAgo < latestSeconds || kind == .stop else {
        throw Problem(
          .unprocessableContent,
          "this check-in is \(call.secondsAgo / 60) minutes old, and shows nothing of now: check "
            + "in again")
      }
      var entry = CheckInEntry(
        kind: kind, user: try call.text("user") ?? call.speaker(), timer: call.text("timer"),
        seconds: UInt32(clamping: call.integer("seconds") ?? 0), note: call.text("note") ?? "",
        pin: call.text("pin"))
      if let person = call.person, person.speaksForItself {
        entry.isOfLogin = true
        guard entry.user == (try person.boundUser()) else {
          throw Problem(
            .forbidden, "this login checks in for its own person only: ask command", at: "/user")
        }
      }
      return try await api.done(.reportCheckIn(entry))
    },
    Route(
      .get, "/api/v1/checkins/pin", "Get whether your check-ins on this node require a PIN",
      rights: .read,
      result: .json(.open([.must("isRequired", .flag)]))
    ) { api, call in
      guard call.person.map({ !$0.speaksForItself || $0.isOwner }) ?? true else {
        return .ok(.object(["isRequired": .bool(false)]))
      }
      guard case .checkInPin(let isRequired) = try await api.ask(.checkInPin) else {
        throw Problem.unexpected
      }
      return .ok(.object(["isRequired": .bool(isRequired)]))
    },
    Route(
      .put, "/api/v1/checkins/pin",
      "Set the two PINs for check-ins on this node; without them, remove both",
      rights: .laptop(.write, "PINs are set on the laptop itself: muster checkin pin set"),
      body: .object(
        [.may("current", .text), .may("usual", .text), .may("duress", .text)], least: 1),
      result: .done
    ) { api, call in
      // The PINs are those of the laptop's own user.
      try await api.done(
        .setCheckInPins(
          CheckInPinChange(
            current: call.text("current"), usual: call.text("usual"),
            duress: call.text("duress"))))
    },
    Route(
      .post, "/api/v1/checkins/clear",
      "As command, end this node's alarm about a person under duress", rights: .command,
      body: .object([.must("user", .text)], least: 1), result: .done
    ) { api, call in
      try await api.done(.clearDuress(call.text("user") ?? ""))
    },
  ]
}
