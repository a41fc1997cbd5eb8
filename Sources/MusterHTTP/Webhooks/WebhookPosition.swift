internal import MusterInterchange
internal import MusterModel

/// The position of a webhook: later events are still to be posted. The node's own log is the queue,
/// and this is the position in it.
struct WebhookPosition: Hashable, Sendable {
  /// A crossing that was posted or skipped.
  struct Newest: Hashable, Sendable {
    let arrival: Int64
    let crossing: CrossingID
  }

  /// All crossings up to this arrival number were posted or skipped.
  var arrival: Int64
  /// The same of authors whose turns are further than those of others (`CrossingTurns`).
  var ahead: [DeviceID: Int64] = [:]
  /// The last one that was posted or skipped; nil before the first. A rebuilt database numbers
  /// crossings again, which this detects.
  var newest: Newest?
  /// The sync counts that were posted.
  var counts: [Dataset: UInt64]
  /// The alerts that were active when last posted, as posted. Alerts are in no log: their
  /// difference from the alerts active now is still to be posted.
  var alerts: [AlertID: Alert] = [:]

  /// The start of the log.
  static let beginning = WebhookPosition(arrival: 0, counts: [:])
}

/// A crossing that the receiver rejected.
struct FailedDelivery: Hashable, Sendable {
  let arrival: Int64
  let crossing: CrossingID
  var reason: String
  var attempts: Int
  var failedAt: Timestamp
  /// Whether it is to be retried.
  var isDue: Bool
}

extension WebhookPosition {
  var json: JSON {
    .object([
      "arrival": .integer(arrival), "crossing": .known(newest?.crossing, JSON.id),
      "crossingArrival": .known(newest?.arrival, JSON.integer),
      "ahead": .object(
        Dictionary(uniqueKeysWithValues: ahead.map { ("\($0.key)", JSON.integer($0.value)) })),
      "counts": .object(
        Dictionary(uniqueKeysWithValues: counts.map { ($0.key.name, JSON.unsigned($0.value)) })),
      "alerts": .array(alerts.values.sorted { $0.id < $1.id }.map(\.json)),
    ])
  }

  /// Returns nil for malformed JSON.
  init?(_ json: JSON) {
    guard let members = json.members, let arrival = members["arrival"]?.wholeNumber,
      let counts = members["counts"]?.members
    else { return nil }
    var known: [Dataset: UInt64] = [:]
    for dataset in Dataset.allCases {
      guard let count = counts[dataset.name] else { continue }
      guard case .number(let digits) = count, let number = UInt64(digits) else { return nil }
      known[dataset] = number
    }
    self.init(arrival: arrival, counts: known)
    // Earlier builds had no turns: the newest was the last of all.
    newest = CrossingID(members["crossing"]).map {
      Newest(arrival: members["crossingArrival"]?.wholeNumber ?? arrival, crossing: $0)
    }
    for (author, json) in members["ahead"]?.members ?? [:] {
      guard let author = DeviceID(hex: author), let last = json.wholeNumber else { return nil }
      ahead[author] = last
    }
    // Earlier builds stored no alerts.
    for json in members["alerts"]?.elements ?? [] {
      guard let alert = Alert(json) else { return nil }
      alerts[alert.id] = alert
    }
  }
}

extension FailedDelivery {
  /// The form that `webhook failed` prints.
  var json: JSON {
    .object([
      "id": .id(crossing), "reason": .string(reason), "attempts": .count(attempts),
      "failedAt": .time(failedAt), "retrying": .bool(isDue),
    ])
  }

  /// The stored form, with the fields that only the file needs.
  var stored: JSON { json.adding(["arrival": .integer(arrival)]) }

  init?(stored json: JSON) {
    guard let members = json.members, let crossing = CrossingID(members["id"]),
      let reason = members["reason"]?.word, let arrival = members["arrival"]?.wholeNumber,
      let attempts = members["attempts"]?.wholeNumber.flatMap({ Int(exactly: $0) }),
      let failedAt = members["failedAt"]?.word.flatMap({ Timestamp(rfc3339: $0) }),
      case .bool(let isDue)? = members["retrying"]
    else { return nil }
    self.init(
      arrival: arrival, crossing: crossing, reason: reason, attempts: attempts,
      failedAt: failedAt, isDue: isDue)
  }
}

extension CrossingID {
  fileprivate init?(_ json: JSON?) {
    guard let bytes = json?.word.flatMap({ Hex.decode($0) }) else { return nil }
    self.init(bytes: bytes)
  }
}

extension Alert {
  /// Parses `json`.
  fileprivate init?(_ json: JSON) {
    guard let members = json.members, let text = members["text"]?.word,
      let kind = members["kind"]?.word.flatMap(AlertKind.init(name:)),
      let row = members["row"]?.word.flatMap({ RowID(hex: $0) }),
      let level = members["level"]?.word.flatMap(AlertLevel.init(name:)),
      let since = members["since"]?.word.flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    var acknowledgement: AlertAcknowledgement?
    if let name = members["acknowledgedBy"]?.word,
      let moment = members["acknowledgedAt"]?.word.flatMap({ Timestamp(rfc3339: $0) })
    {
      acknowledgement = AlertAcknowledgement(name: name, moment: moment)
    }
    self.init(
      id: AlertID(kind: kind, row: row), level: level,
      phrase: members["phrase"].flatMap { Phrase($0) } ?? Phrase(verbatim: text), since: since,
      acknowledgement: acknowledgement,
      batteryPercent: members["battery"]?.wholeNumber.flatMap { UInt8(exactly: $0) })
  }
}

extension JSON {
  var wholeNumber: Int64? {
    if case .number(let digits) = self { Int64(digits) } else { nil }
  }
}
