internal import MusterModel

/// The named schemas of responses. `MusterInterchange` writes the JSON, for the command line too; a
/// test compares both.
enum Components {
  static let all: [(name: String, shape: Shape)] = [
    ("Problem", problem), ("SyncItem", SyncRoutes.item), ("Phrase", phrase), ("User", .open(user)),
    ("Word", word), ("History", history), ("HistoryEvent", historyEvent), ("Report", report),
    ("ReportDetails", reportDetails), ("Photo", photo), ("Conflict", conflict), ("Fence", fence),
    ("Directive", directive), ("Respondent", respondent), ("Device", device), ("Council", council),
    ("Event", event), ("Alert", alert), ("UnverifiedCall", UnverifiedCallRoutes.shape),
    ("Call", callStanding), ("Contact", contact), ("RosterPerson", rosterPerson),
    ("Permit", permit), ("CheckIn", checkIn),
    ("Peer", peer), ("Link", link), ("Status", status), ("Position", position), ("Track", track),
    ("Delivery", delivery), ("Invitation", invitation), ("Invite", invite),
    ("QuarantinedFrame", quarantinedFrame), ("Profile", profile), ("Settings", settings),
    ("Counts", counts), ("Map", MapComponents.map), ("MapFile", MapComponents.file),
    ("Import", MapComponents.outcome), ("Login", login),
    ("Webhook", .open(webhook)), ("NewWebhook", .open(webhook + [.may("secret", .text)])),
    ("FailedDelivery", failedDelivery), ("ArchivedOperation", ArchiveComponents.operation),
    ("ArchiveFinding", ArchiveComponents.finding), ("Health", .open([.must("status", .text)])),
  ]

  /// Returns the schema of that name; nil for an unknown name.
  static func shape(_ name: String) -> Shape? { all.first { $0.name == name }?.shape }

  static let placed: [Shape.Member] = [
    .must("lat", .nullable(.latitude)), .must("lon", .nullable(.longitude)),
  ]
  private static let many = Int(Rows.mostPerPage)
  private static let percent = Shape.integer(0...100)
  private static let names = Shape.list(.text, most: many)

  private static let problem = Shape.open([
    .must("type", .text), .must("title", .text), .must("status", .integer(400...599)),
    .must("detail", .text), .may("place", .text), .may("current", .named("SyncItem")),
  ])

  private static let word = Shape.open([
    .must("claim", .choice(["safe", "help"])), .must("note", .text), .must("callsign", .text),
    .must("saidAt", .time),
  ])

  /// A text by its key in the catalogue of each language, and what stands in it.
  private static let phrase = Shape.open([.must("key", .text), .must("values", .open([]))])

  private static let condition = Shape.open([
    .must("status", .choice(PersonStatus.allCases.map(\.rawValue))),
    .must("severity", .choice(Severity.allCases.map(\.rawValue))), .must("reason", .text),
    .must("phrase", .named("Phrase")),
  ])

  private static let contactAge = Shape.open([
    .must("seconds", .anyInteger), .must("atMostSeconds", .nullable(.anyInteger)),
    .must("reason", .nullable(.text)),
  ])

  private static let followedOrder = Shape.open([
    .must("id", .reference), .must("kind", .text), .must("zone", .nullable(.reference)),
    .must("zoneName", .text), .must("distanceMetres", .nullable(.anyInteger)),
    .must("bearingDegrees", .nullable(.anyInteger)),
    .must("dueSeconds", .nullable(.anyInteger)),
  ])

  private static let history = Shape.open([
    .must("at", .time), .must("view", .choice(HistoryView.allCases.map(\.rawValue))),
    .must("begins", .nullable(.time)), .must("now", .time),
    .must(
      "gaps",
      .list(.open([.must("from", .time), .must("to", .time)]), most: Limits.historyRuns)),
    .must(
      "people",
      .list(
        .open(
          user + [
            .must("since", .nullable(.time)), .must("fixTime", .nullable(.time)),
            .must("fixEarliest", .nullable(.time)), .must("fixLatest", .nullable(.time)),
            .must("fixReceived", .nullable(.time)),
          ]), most: Limits.historySubjects)),
    .must("zones", .list(historicZone, most: many)),
    .must("reports", .list(historicReport, most: many)),
    .must("absent", .list(.reference, most: many)),
  ])

  private static let historicZone = Shape.open([
    .must("id", .reference), .must("name", .text),
    .must("kind", .choice(FenceKind.allCases.map(\.name))), .must("active", .flag),
    .must("shape", .choice(["circle", "polygon"])), .may("radiusMetres", .anyNumber),
    .may("lat", .latitude), .may("lon", .longitude), .may("geometry", .anything),
  ])

  private static let historicReport = Shape.open(
    [
      .must("id", .reference), .must("title", .text),
      .must("category", .choice(ReportCategory.allCases.map(\.name))),
      .must("severity", .nullable(.integer(1...5))), .must("toEvacuate", .flag),
      .must("status", .choice(ReportStatus.allCases.map(\.name))),
    ] + placed)

  private static let historyEvent = Shape.open(
    [
      .must("time", .time), .must("kind", .choice(HistoryEventKind.allCases.map(\.rawValue))),
      .must("severity", .choice(Severity.allCases.map(\.rawValue))), .must("callsign", .text),
      .must("what", .text), .must("text", .text), .must("phrase", .nullable(.named("Phrase"))),
      .must("row", .text),
      .must("since", .nullable(.time)),
    ] + placed)

  private static let user: [Shape.Member] =
    [
      .must("id", .reference), .must("callsign", .text), .must("role", .text),
      .must("owner", .nullable(.reference)),
      .must("status", .choice(PersonStatus.allCases.map(\.rawValue))),
      .must("severity", .choice(Severity.allCases.map(\.rawValue))),
      .must("conditions", .list(condition, most: PersonStatus.allCases.count)),
      .must("age", .nullable(contactAge)), .must("order", .nullable(followedOrder)),
      .must("safety", .choice(SafetyState.allCases.map(\.rawValue))), .must("reason", .text),
      .must("word", .nullable(.named("Word"))), .must("override", .nullable(.named("Word"))),
      .must("accuracyMetres", .nullable(.anyNumber)),
      .must("fixAgeSeconds", .nullable(.anyInteger)), .must("team", .text),
      .must("battery", .nullable(percent)),
      .must(
        "phone",
        .nullable(
          .open([
            .must(
              "leftOut",
              .list(.open([.must("reason", .text), .must("count", .count)]), most: 32)),
            .must("alarm", .nullable(.text)),
            .must("alarmAgeSeconds", .nullable(.count)),
            .must("lateBySeconds", .nullable(.count)),
            .must("reportsEverySeconds", .nullable(.count)),
            .must("clockBehindSeconds", .count),
          ]))),
    ] + placed

  private static let permit = Shape.open([
    .must("id", .reference), .must("people", names), .must("team", .text),
    .must("zone", .reference), .must("zoneName", .text), .must("durationSeconds", .count),
    .must("revoked", .flag), .must("callsign", .text), .must("issuedAt", .time),
  ])

  private static let checkIn = Shape.open([
    .must("id", .reference), .must("user", .reference), .must("callsign", .text),
    .must("state", .choice(CheckInState.allCases.map(\.name))),
    .must("earliestSeconds", .nullable(.anyInteger)),
    .must("latestSeconds", .nullable(.anyInteger)), .must("durationSeconds", .count),
    .must("repeats", .flag), .must("graceSeconds", .count), .must("stillSeconds", .count),
    .must("still", .flag), .must("note", .text),
    .must("startedBy", .text), .must("startedAt", .time),
    .must("report", .nullable(.choice(CheckInReportKind.allCases.map(\.name)))),
    .must("reportNote", .text), .must("reportedBy", .text),
    .must("reportedAt", .nullable(.time)),
  ])

  private static let conflict = Shape.open([
    .must("field", .text),
    .must(
      "values",
      .list(
        .open([
          .must("value", .text), .must("callsign", .text), .must("writtenAt", .time),
        ]), most: many)),
  ])

  private static let report = Shape.open(reportFields + [.must("photos", .count)])

  private static let reportDetails = Shape.open(
    reportFields + [.must("photos", .list(.named("Photo"), most: Limits.photosPerReport))])

  private static let photo = Shape.open(
    [
      .must("id", .reference), .must("callsign", .text), .must("author", .reference),
      .must("addedAt", .time), .must("takenAt", .nullable(.time)), .must("original", blob),
      .must("thumbnail", blob), .must("text", .text),
      .must("marks", .list(mark, most: many)),
    ] + placed)

  private static let mark = Shape.open([
    .must("id", .text), .must("callsign", .text), .must("author", .reference),
    .must("drawnAt", .time), .must("shape", .choice(PhotoMarkShape.allCases.map(\.name))),
    .must("colour", .choice(PhotoMarkColour.allCases.map(\.name))), .must("text", .text),
    .must(
      "points",
      .list(
        .open([.must("x", .number(0...1)), .must("y", .number(0...1))]),
        most: Limits.photoMarkPoints)),
  ])

  private static let blob = Shape.open([
    .must("type", .choice(PhotoType.allCases.map(\.mediaType))), .must("width", .count),
    .must("height", .count), .must("bytes", .count), .must("percent", percent),
    .must("complete", .flag), .must("devices", .count), .must("total", .count),
    .must("commandPost", .flag),
    .must("stall", .nullable(.choice(BlobStallReason.allCases.map(\.rawValue)))),
    .must("text", .text),
  ])

  private static let confirmation = Shape.open([
    .must("user", .nullable(.reference)), .must("name", .text),
    .must("through", .nullable(.text)), .must("role", .choice(Role.allCases.map(\.name))),
    .must("counts", .flag), .must("ofOwnReport", .flag), .must("beforeChange", .flag),
  ])

  private static let reportFields: [Shape.Member] =
    [
      .must("id", .reference), .must("title", .text), .must("description", .text),
      .must("category", .choice(ReportCategory.allCases.map(\.name))),
      .must("severity", .nullable(.integer(1...5))), .must("toEvacuate", .flag),
      .must("status", .choice(ReportStatus.allCases.map(\.name))), .must("owner", .reference),
      .must("ownerCallsign", .text), .must("confirmations", names),
      .must("confirmedBy", .list(confirmation, most: many)), .must("content", .text),
      .may("writtenBy", .text), .may("through", .text),
      .must(
        "comments",
        .list(
          .open([
            .must("callsign", .text), .must("text", .text), .must("writtenAt", .time),
            .may("writtenBy", .text), .may("through", .text),
          ]),
          most: many)),
      .must("moreComments", .count),
      .must("conflicts", .list(.named("Conflict"), most: many)),
      .must(
        "delivery", .open(figure)),
      .must("createdAt", .time), .must("updatedAt", .time),
    ] + placed

  private static let zoneRule = Shape.open([
    .must("id", .text), .must("kind", .choice(ZoneRuleKind.allCases.map(\.name))),
    .must("number", .count), .must("role", .nullable(.text)), .must("team", .text),
    .must("text", .text), .must("callsign", .text), .must("writtenAt", .time),
  ])

  private static let fence = Shape.open([
    .must("id", .reference), .must("name", .text),
    .must("kind", .choice(FenceKind.allCases.map(\.name))), .must("active", .flag),
    .must("inside", names), .must("properties", .text), .must("collection", .text),
    .must("dwellSeconds", .count),
    .must("mode", .choice(["careful", "strict-aws"])), .must("needs", .nullable(.text)),
    .must("reviewAt", .nullable(.time)), .must("entryAlert", .flag),
    .must("rules", .list(zoneRule, most: Limits.rulesPerZone)),
    .must("conflicts", .list(.named("Conflict"), most: many)), .must("createdAt", .time),
    .must("updatedAt", .time), .must("shape", .choice(["circle", "polygon"])),
    .may("radiusMetres", .anyNumber), .may("lat", .latitude), .may("lon", .longitude),
    .may("writtenBy", .text), .may("through", .text),
  ])

  private static let respondent = Shape.open([
    .must("user", .reference), .must("callsign", .text),
    .must("state", .choice(Respondent.State.allCases.map(\.rawValue))), .must("reason", .text),
    .must("phrase", .named("Phrase")),
    .must("answeredAt", .nullable(.time)), .must("answeredBy", .nullable(.text)),
    .must("fixAgeSeconds", .nullable(.anyInteger)), .must("late", .flag),
    .must("tracker", .flag), .must("zone", .nullable(.text)),
    .must("distanceMetres", .nullable(.anyInteger)),
    .must("bearingDegrees", .nullable(.anyInteger)),
  ])

  private static let zone = Shape.open([.must("id", .reference), .must("name", .text)])

  private static let directive = Shape.open([
    .must("id", .reference), .must("kind", .choice(DirectiveKind.allCases.map(\.name))),
    .must("text", .text), .must("addressees", .text), .must("audience", .named("Phrase")),
    .must("fence", .nullable(.reference)),
    .must("fenceName", .text), .must("zones", .list(zone, most: many)),
    .must("deadline", .nullable(.time)), .must("durationSeconds", .nullable(.anyInteger)),
    .must("supersedes", .list(.reference, most: many)),
    .must("supersededBy", .nullable(.reference)), .must("answered", .count),
    .must("expected", .count), .must("lateArrivals", names),
    .must("secondsLeft", .nullable(.anyInteger)), .must("overdue", .flag),
    .must("status", .choice(DirectiveStatus.allCases.map(\.name))), .must("callsign", .text),
    .must("createdAt", .time), .must("unaccounted", names),
    .must("people", .list(.named("Respondent"), most: many)),
    .may("writtenBy", .text), .may("through", .text),
  ])

  private static let device = Shape.open([
    .must("id", .reference), .must("user", .reference), .must("callsign", .text),
    .must("role", .choice(Role.allCases.map(\.name))), .must("rank", .count),
    .must("isThisDevice", .flag), .must("isRevoked", .flag), .must("councilMember", .flag),
    .must("disputed", .flag), .must("votes", .count), .must("quorum", .count),
  ])

  private static let council = Shape.open([
    .must("id", .text), .must("parent", .nullable(.text)), .must("serial", .count),
    .must("counts", .flag), .must("quorum", .count),
    .must(
      "members",
      .list(
        .open([
          .must("device", .reference), .must("callsign", .text), .must("isThisDevice", .flag),
          .must("isRevoked", .flag),
        ]), most: Limits.councilMembers.upperBound)),
    .must(
      "cases",
      .list(
        .open([
          .must("device", .reference), .must("callsign", .text), .must("voters", names),
          .must("isDecided", .flag),
        ]), most: Limits.councilMembers.upperBound)),
    .must("endorsedBy", names), .must("endorsementsNeeded", .count),
  ])

  private static let event = Shape.open(
    [
      .must("id", .reference), .must("type", .choice(["ENTER", "EXIT"])),
      .must("fence", .reference), .must("fenceName", .text), .must("subject", .reference),
      .must("callsign", .text), .must("sampleTime", .time), .must("baseline", .flag),
    ] + placed)

  private static let alertSighting = Shape.open([
    .must("user", .reference), .must("name", .text),
    .must("role", .choice(Role.allCases.map(\.name))), .must("via", .nullable(.text)),
    .must("note", .text),
  ])

  private static let alert = Shape.open([
    .must("id", .text), .must("kind", .choice(AlertKind.allCases.map(\.name))),
    .must("row", .reference), .must("level", .choice(AlertLevel.allCases.map(\.name))),
    .must("priority", .choice(AlertPriority.allCases.map(\.name))), .must("text", .text),
    .must("phrase", .named("Phrase")),
    .must("person", .nullable(.reference)), .must("members", .list(.text, most: Limits.alerts)),
    .must("since", .time), .must("happenedAt", .nullable(.time)),
    .must("acknowledgedBy", .nullable(.text)), .must("acknowledgedAt", .nullable(.time)),
    .must("battery", .nullable(percent)),
    .must("acknowledgements", .list(alertSighting, most: AlertSighting.mostListed)),
    .may("contacts", .list(alertContact, most: Limits.contactsPerAlert)),
    .may("report", alertReport),
    .may("shelved", .open([.must("by", .text), .must("reason", .text), .must("until", .time)])),
  ])

  private static let alertReport = Shape.open([
    .must("reporter", .text), .must("toEvacuate", .flag), .must("title", .text),
    .must("category", .choice(ReportCategory.allCases.map(\.name))), .must("proven", .flag),
    .must("people", .nullable(.anyInteger)), .must("withinMetres", .nullable(.anyInteger)),
    .must("zone", .nullable(.text)), .must("metres", .nullable(.anyInteger)),
  ])

  private static let callStanding = Shape.open([
    .must("user", .reference), .must("callsign", .text), .must("note", .text),
    .must("madeAt", .nullable(.time)), .must("open", .flag),
    .must("state", .choice(CallStanding.Stage.allCases.map(\.rawValue))),
    .must("atCommand", .flag),
    .must(
      "seenBy",
      .list(
        .open([
          .must("name", .text), .must("role", .choice(Role.allCases.map(\.name))),
          .must("via", .nullable(.text)), .must("at", .nullable(.time)),
        ]), most: CallStanding.mostListed)),
    .must(
      "answers",
      .list(
        .open([
          .must("id", .reference), .must("text", .text), .must("name", .text),
          .must("at", .nullable(.time)), .must("read", .flag),
        ]), most: CallStanding.mostListed)),
  ])

  private static let contactFields: [Shape.Member] =
    [
      .must("id", .reference), .must("name", .text), .must("phone", .text),
      .must("otherPhones", .list(.text, most: Limits.phonesPerContact)), .must("note", .text),
    ] + placed

  private static let contact = Shape.open(
    contactFields + [.must("callsign", .text), .must("writtenAt", .time)])

  private static let rosterPerson = Shape.open([
    .must("id", .reference), .must("name", .text), .must("team", .text), .must("role", .text),
    .must("phone", .text), .must("hasArrived", .flag),
    .must(
      "namesakes",
      .list(
        .open([
          .must("id", .reference), .must("callsign", .text), .must("isTracker", .flag),
        ]), most: 1000)),
  ])

  private static let alertContact = Shape.open(
    contactFields + [
      .must("distanceMetres", .nullable(.anyInteger)),
      .must("bearingDegrees", .nullable(.anyInteger)),
    ])

  private static let peer = Shape.open([
    .must("callsign", .text), .must("device", .reference),
    .must("state", .choice(["connected", "heard", "silent"])), .must("isConnected", .flag),
    .must("address", .text), .must("interface", .text), .must("lastHeardSeconds", .anyInteger),
    .must("connectedSeconds", .nullable(.anyInteger)),
    .must("roundTripMilliseconds", .nullable(.anyNumber)), .must("behindFrames", .count),
    .must("sentBytes", .nullable(.count)), .must("receivedBytes", .nullable(.count)),
    .must("needsUpdate", .nullable(.choice(["peer", "self"]))), .must("isRevoked", .flag),
  ])

  private static let link = Shape.open([
    .must("from", .reference), .must("fromCallsign", .text), .must("to", .reference),
    .must("toCallsign", .text), .must("path", .choice(NeighbourPath.allCases.map(\.name))),
    .must("since", .time), .must("toldAt", .time), .must("ageSeconds", .count),
    .must("isMutual", .flag), .must("isCurrent", .flag),
    .must("behindFrames", .nullable(.count)),
  ])

  private static let status = Shape.open([
    .must("operation", .reference), .must("operationName", .text), .must("callsign", .text),
    .must("device", .reference), .must("role", .choice(Role.allCases.map(\.name))),
    .must("isRevoked", .flag), .must("clockSuspect", .flag), .must("stateHash", .text),
    .must("root", .text), .must("logs", .count), .must("frames", .count),
    .must("waitingWrites", .count),
    .must("quarantined", .count), .must("bounds", .anything), .must("epoch", .anything),
    .must("peers", .list(.named("Peer"), most: Limits.peers)), .must("uplink", .anything),
    .must("fix", .anything), .must("diskFreeBytes", .nullable(.count)),
  ])

  private static let fix: [Shape.Member] = [
    .must("lat", .latitude), .must("lon", .longitude),
    .must("accuracyMetres", .nullable(.anyNumber)), .must("sampleTime", .time),
  ]

  private static let position = Shape.open(
    [
      .must("id", .reference), .must("callsign", .text),
      .must("reportedAt", .nullable(.time)), .must("fixAgeSeconds", .nullable(.anyInteger)),
    ] + fix)

  private static let track = Shape.open([.must("items", .list(.open(fix), most: many))])

  private static let figure: [Shape.Member] = [
    .must("devices", .count), .must("total", .count), .must("commandPost", .flag),
    .must("archive", .flag), .must("ageSeconds", .nullable(.count)), .must("text", .text),
  ]

  private static let delivery = Shape.open([.must("id", .reference)] + figure)

  private static let invitation = Shape.open([
    .must("url", .text), .may("link", .text), .must("id", .reference),
    .must("expires", .time), .must("role", .choice(Role.allCases.map(\.name))),
  ])

  private static let invite = Shape.open([
    .must("id", .reference), .must("role", .choice(Role.allCases.map(\.name))),
    .must("user", .nullable(.reference)), .must("usesLeft", .count), .must("createdAt", .time),
    .must("expires", .time), .must("state", .choice(InviteSummary.State.allCases.map(\.name))),
    .must("devices", .list(.reference, most: many)),
  ])

  private static let quarantinedFrame = Shape.open([
    .must("id", .reference), .must("device", .reference), .must("callsign", .text),
    .must("log", .reference), .must("lane", .text), .must("sequence", .count),
    .must("writtenAt", .nullable(.time)), .must("contents", .list(.text, most: many)),
  ])

  private static let profile = Shape.open([
    .must("mode", .choice(LocationMode.allCases.map(\.name))), .must("readingSeconds", .count),
    .must("sendingSeconds", .count), .must("distanceMetres", .count),
    .must("accuracyMetres", .count), .must("sharesTrack", .flag),
  ])

  private static let settings = Shape.open([
    .must("foreground", .named("Profile")), .must("background", .named("Profile")),
    .must("silenceSeconds", .count),
  ])

  private static let webhook: [Shape.Member] = [
    .must("name", .text), .must("url", .text), .must("failed", .count),
    .must("trouble", .nullable(.text)),
    .must("events", .list(.choice(Webhook.Rules.kinds), most: Webhook.Rules.kinds.count)),
    .must("fences", names), .must("users", names),
    .must("datasets", .list(.choice(Dataset.allCases.map(\.name)), most: 16)),
  ]

  private static let login = Shape.open([
    .must("name", .text), .must("rights", .choice(Login.Rights.allCases.map(\.rawValue))),
    .must("user", .nullable(.reference)), .must("callsign", .nullable(.text)),
    .must("phone", .flag), .may("devices", .list(.open(browser), most: BrowserTokenFile.most)),
  ])

  private static let browser: [Shape.Member] = [
    .must("id", .text), .must("name", .text), .must("addedAt", .time), .must("usedAt", .time),
    .must("standing", .choice(["full", "helpOnly", "removed"])),
    .must(
      "reason", .nullable(.choice(LoginStanding.Reason.allCases.map(\.rawValue)))),
  ]

  private static let failedDelivery = Shape.open([
    .must("id", .reference), .must("reason", .text), .must("attempts", .count),
    .must("failedAt", .time), .must("retrying", .flag),
  ])

  private static let counts = Shape.open(Dataset.allCases.map { .must($0.name, .count) })
}
