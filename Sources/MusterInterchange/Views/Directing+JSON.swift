public import MusterModel

extension DirectiveSummary {
  /// The JSON of `direct list`; the remaining time counts from `now`.
  public func json(now: Timestamp) -> JSON {
    JSON.object([
      "id": .id(id), "kind": .string(kind.name), "text": .string(text),
      "addressees": .string(addressees), "audience": audience.json, "fence": .known(fence, JSON.id),
      "fenceName": .string(fenceName),
      "zones": .array(
        zones.map { .object(["id": .id($0.id), "name": .string($0.name)]) }),
      "deadline": .known(deadline?.time, JSON.time),
      "durationSeconds": .known(deadline?.durationSeconds) { .integer(Int64($0)) },
      "supersedes": .array(supersedes.map(JSON.id)), "supersededBy": .known(supersededBy, JSON.id),
      "secondsLeft": .known(deadline?.time) { .integer($0.milliseconds(since: now) / 1000) },
      "overdue": .bool(isOverdue(now: now)), "status": .string(status.name),
      "callsign": .string(callsign), "createdAt": .time(createdAt),
      "answered": .count(answered), "expected": .count(expected.count),
      "lateArrivals": .strings(lateArrivals.map(\.callsign)),
      "unaccounted": .strings(unaccounted.map(\.callsign)),
      "people": .array(people.map(\.json)),
    ]).adding(authorship.members)
  }
}

extension Respondent {
  fileprivate var json: JSON {
    .object([
      "user": .id(user), "callsign": .string(callsign), "state": .string(state.rawValue),
      "reason": .string(reason), "phrase": phrase.json, "answeredAt": .known(answeredAt, JSON.time),
      "answeredBy": .known(answeredBy, JSON.string),
      "fixAgeSeconds": .known(fixAgeSeconds, JSON.integer), "late": .bool(isLate),
      "tracker": .bool(isTracker), "zone": .known(direction?.zone.name, JSON.string),
      "distanceMetres": .known(direction?.distanceMetres, JSON.integer),
      "bearingDegrees": .known(direction?.bearingDegrees, JSON.integer),
    ])
  }
}

extension Alert {
  /// The JSON of `alert list`: a danger has contacts, one about a report its parts, and one that
  /// command shelved who did it, why and until when.
  public var json: JSON {
    var json = JSON.object([
      "id": .string(id.description), "kind": .string(id.kind.name), "row": .id(id.row),
      "level": .string(level.name), "priority": .string(priority.name), "text": .string(text),
      "phrase": phrase.json,
      "person": .known(person, JSON.id), "members": .strings(members.map(\.description)),
      "since": .time(since), "happenedAt": .known(happenedAt, JSON.time),
      "acknowledgedBy": .known(acknowledgement?.name, JSON.string),
      "acknowledgedAt": .known(acknowledgement?.moment, JSON.time),
      "acknowledgements": .array(acknowledgements.map(\.json)),
      "battery": .known(batteryPercent) { .count(Int($0)) },
    ])
    if let report { json = json.adding(["report": report.json]) }
    if let shelving { json = json.adding(["shelved": shelving.json]) }
    guard level == .danger else { return json }
    return json.adding(["contacts": .array(contacts.map(\.json))])
  }
}

extension AlertShelving {
  fileprivate var json: JSON {
    .object(["by": .string(name), "reason": .string(reason), "until": .time(until)])
  }
}

extension AlertReport {
  fileprivate var json: JSON {
    var (people, within, zone, metres): (Int?, Int?, String?, Int?) = (nil, nil, nil, nil)
    switch place {
    case .people(let count, let limit): (people, within) = (count, limit)
    case .zone(let name, let distance): (zone, metres) = (name, distance)
    case .here(let distance): metres = distance
    case .unknown: break
    }
    return .object([
      "reporter": .string(reporter.text), "toEvacuate": .bool(toEvacuate), "title": .string(title),
      "category": .string(category.name), "proven": .bool(isProven),
      "people": .known(people, JSON.count), "withinMetres": .known(within, JSON.count),
      "zone": .known(zone, JSON.string), "metres": .known(metres, JSON.count),
    ])
  }
}

extension AlertSighting {
  fileprivate var json: JSON {
    .object([
      "user": .id(user), "name": .string(name), "role": .string(role.name),
      "via": .known(via, JSON.string), "note": .string(note),
    ])
  }
}

extension AlertChange {
  /// The JSON of `alert follow`: the alert and its change.
  public var json: JSON {
    switch self {
    case .raised(let alert): alert.json.adding(["change": .string("raised")])
    case .acknowledged(let alert): alert.json.adding(["change": .string("acknowledged")])
    case .shelved(let alert): alert.json.adding(["change": .string("shelved")])
    case .cleared(let alert): alert.json.adding(["change": .string("cleared")])
    }
  }
}

extension SettingsSummary {
  /// The JSON of `settings show`.
  public var json: JSON {
    .object([
      "foreground": foreground.json, "background": background.json,
      "silenceSeconds": .integer(silenceSeconds),
    ])
  }
}

extension LocationProfile {
  fileprivate var json: JSON {
    .object([
      "mode": .string(mode.name), "readingSeconds": .count(Int(readingSeconds)),
      "sendingSeconds": .count(Int(sendingSeconds)),
      "distanceMetres": .count(Int(distanceMetres)),
      "accuracyMetres": .count(Int(accuracyMetres)), "sharesTrack": .bool(sharesTrack),
    ])
  }
}
