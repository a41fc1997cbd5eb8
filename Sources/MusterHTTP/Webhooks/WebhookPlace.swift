internal import MusterInterchange
internal import MusterModel

/// How far a webhook has been told: what comes later is still to be posted. The queue is the
/// node's own log; this is the place in it.
struct WebhookPlace: Hashable, Sendable {
  /// Of the last crossing that was told or passed over.
  var arrival: Int64
  /// Its id; nil where none was. A database that was made anew numbers crossings anew, which
  /// shows by it.
  var crossing: CrossingID?
  /// The sync counts that were told.
  var counts: [Dataset: UInt64]
  /// The alerts that it was told of and that stood then, as it was told of them. Alerts are in no
  /// log: what differs from those that stand now is still to be posted.
  var alerts: [AlertID: Alert] = [:]

  /// From the beginning.
  static let beginning = WebhookPlace(arrival: 0, crossing: nil, counts: [:])
}

/// A crossing that the other side would not take.
struct FailedDelivery: Hashable, Sendable {
  let arrival: Int64
  let crossing: CrossingID
  var reason: String
  var attempts: Int
  var failedAt: Timestamp
  /// Whether it is to be tried again.
  var isDue: Bool
}

extension WebhookPlace {
  var json: JSON {
    .object([
      "arrival": .integer(arrival), "crossing": .known(crossing, JSON.id),
      "counts": .object(
        Dictionary(uniqueKeysWithValues: counts.map { ($0.key.name, JSON.unsigned($0.value)) })),
      "alerts": .array(alerts.values.sorted { $0.id < $1.id }.map(\.json)),
    ])
  }

  /// Nil for what is none.
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
    self.init(arrival: arrival, crossing: CrossingID(members["crossing"]), counts: known)
    // Builds before knew of none.
    for json in members["alerts"]?.elements ?? [] {
      guard let alert = Alert(json) else { return nil }
      alerts[alert.id] = alert
    }
  }
}

extension FailedDelivery {
  /// As `webhook failed` prints it.
  var json: JSON {
    .object([
      "id": .id(crossing), "reason": .string(reason), "attempts": .count(attempts),
      "failedAt": .time(failedAt), "retrying": .bool(isDue),
    ])
  }

  /// With what only the file needs.
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
  /// What `json` says.
  fileprivate init?(_ json: JSON) {
    guard let members = json.members, let text = members["text"]?.word,
      let kind = AlertKind.allCases.first(where: { $0.name == members["kind"]?.word }),
      let row = members["row"]?.word.flatMap({ RowID(hex: $0) }),
      let level = AlertLevel.allCases.first(where: { $0.name == members["level"]?.word }),
      let since = members["since"]?.word.flatMap({ Timestamp(rfc3339: $0) })
    else { return nil }
    var acknowledgement: AlertAcknowledgement?
    if let name = members["acknowledgedBy"]?.word,
      let moment = members["acknowledgedAt"]?.word.flatMap({ Timestamp(rfc3339: $0) })
    {
      acknowledgement = AlertAcknowledgement(name: name, moment: moment)
    }
    self.init(
      id: AlertID(kind: kind, row: row), level: level, text: text, since: since,
      acknowledgement: acknowledgement)
  }
}

extension JSON {
  var wholeNumber: Int64? {
    if case .number(let digits) = self { Int64(digits) } else { nil }
  }
}
