public import MusterModel

extension ReportSummary {
  /// The JSON of `report list`, with the number of photos.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "title": .string(title), "description": .string(details),
      "category": .string(category.name), "severity": .known(severity) { .count(Int($0)) },
      "toEvacuate": .bool(toEvacuate), "status": .string(status.name), "owner": .id(owner),
      "ownerCallsign": .string(ownerCallsign), "confirmations": .strings(confirmations),
      "confirmedBy": .array(confirmedBy.map(\.json)), "content": .string(content),
      "comments": .array(
        comments.map {
          JSON.object([
            "callsign": .string($0.callsign), "text": .string($0.text),
            "writtenAt": .time($0.writtenAt),
          ]).adding($0.authorship.members)
        }),
      "moreComments": .count(moreComments),
      "photos": .count(photoCount), "conflicts": .array(conflicts.map(\.json)),
      "delivery": delivery.json,
      "createdAt": .time(createdAt), "updatedAt": .time(updatedAt),
    ]).adding(authorship.members).adding(JSON.place(position))
  }
}

extension ReportConfirmation {
  fileprivate var json: JSON {
    .object([
      "user": .known(user, JSON.id), "name": .string(authorship.writtenBy),
      "through": .known(authorship.through, JSON.string), "role": .string(role.name),
      "counts": .bool(standing == .counts), "ofOwnReport": .bool(standing == .ofOwnReport),
      "beforeChange": .bool(standing == .ofEarlierContent),
    ])
  }
}

extension Authorship {
  /// Who wrote it and through whose laptop; none for the person's own device.
  var members: [String: JSON] {
    through.map { ["writtenBy": .string(writtenBy), "through": .string($0)] } ?? [:]
  }
}

extension ReportSummary {
  /// The JSON of `report show`: as in lists, with the photos instead of their number.
  public var detailsJSON: JSON { json.adding(["photos": .array(photos.map(\.json))]) }
}

extension Delivery {
  /// The delivery figure of a report, and its text.
  public var json: JSON {
    .object([
      "devices": .count(devices), "total": .count(total), "commandPost": .bool(commandPost),
      "archive": .bool(archive), "ageSeconds": .known(ageSeconds, JSON.integer),
      "text": .string(text),
    ])
  }
}

extension FieldConflict {
  var json: JSON {
    .object([
      "field": .string(field.name),
      "values": .array(
        values.map {
          .object([
            "value": .string($0.text), "callsign": .string($0.callsign),
            "writtenAt": .time($0.writtenAt),
          ])
        }),
    ])
  }
}

extension FenceSummary {
  /// The rules of the zone.
  public var rulesJSON: JSON { .array(rules.map(\.json)) }

  /// The JSON of `fence list`, without the outline, which `fence export` contains.
  public var json: JSON {
    Self.shape(of: geometry, withOutline: false).adding([
      "id": .id(id), "name": .string(name), "kind": .string(kind.name), "active": .bool(isActive),
      "inside": .strings(inside), "properties": .string(properties),
      "collection": .string(collection),
      "dwellSeconds": .count(Int(dwellSeconds)),
      "mode": .string(mode == .strictAWS ? "strict-aws" : "careful"),
      "needs": .known(needs) { .string($0.name) },
      "reviewAt": .known(reviewAt, JSON.time), "entryAlert": .bool(alertsEntry),
      "rules": rulesJSON,
      "conflicts": .array(conflicts.map(\.json)), "createdAt": .time(createdAt),
      "updatedAt": .time(updatedAt),
    ]).adding(authorship.members)
  }

  /// The shape, with centre and radius of a circle, and the outline of a polygon if it is wanted.
  static func shape(of geometry: FenceGeometry, withOutline: Bool) -> JSON {
    switch geometry {
    case .circle(let center, let radius):
      return JSON.object([
        "shape": .string("circle"),
        "radiusMetres": .number(GeoJSON.decimal(Int64(radius), places: 2)),
      ])
      .adding(JSON.place(center))
    case .polygons:
      let shape = JSON.object(["shape": .string("polygon")])
      return withOutline ? shape.adding(["geometry": GeoJSON.geometry(of: geometry)]) : shape
    }
  }
}

extension ZoneRuleSummary {
  /// A rule of a zone.
  fileprivate var json: JSON {
    .object([
      "id": .string(id), "kind": .string(rule.kind.name), "number": .count(Int(rule.number)),
      "role": .known(rule.role) { .string($0.name) }, "team": .string(rule.team),
      "text": .string(rule.words), "callsign": .string(callsign), "writtenAt": .time(writtenAt),
    ])
  }
}

extension UserSummary {
  /// The JSON of `user list`.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "callsign": .string(callsign),
      "role": .string(roleName),
      "owner": .known(trackerOwner, JSON.id),
      "status": .string(status.rawValue), "severity": .string(severity.rawValue),
      "conditions": .array(conditions.map(\.json)), "age": .known(age, \.json),
      "order": .known(order, \.json),
      "safety": .string(safety.rawValue), "reason": .string(reason),
      "word": .known(selfReport, \.json), "override": .known(override, \.json),
      "accuracyMetres": .metres(decimetres: fix?.accuracyDecimetres),
      "fixAgeSeconds": .known(fixAgeSeconds, JSON.integer), "team": .string(team),
      "battery": .known(batteryPercent) { .count(Int($0)) },
      "phone": .known(phone, \.json),
    ]).adding(JSON.place(fix?.position))
  }
}

extension StatusCondition {
  fileprivate var json: JSON {
    .object([
      "status": .string(status.rawValue), "severity": .string(severity.rawValue),
      "reason": .string(reason), "phrase": phrase.json,
    ])
  }
}

extension ContactAge {
  fileprivate var json: JSON {
    .object([
      "seconds": .integer(seconds), "atMostSeconds": .known(atMostSeconds, JSON.integer),
      "reason": .known(reason, JSON.string),
    ])
  }
}

extension FollowedOrder {
  fileprivate var json: JSON {
    .object([
      "id": .id(id), "kind": .string(kind.name), "zone": .known(zone, JSON.id),
      "zoneName": .string(zoneName), "distanceMetres": .known(distanceMetres, JSON.integer),
      "bearingDegrees": .known(bearingDegrees, JSON.integer),
      "dueSeconds": .known(dueSeconds, JSON.integer),
    ])
  }
}

extension PermitSummary {
  /// The JSON of `permit list`.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "people": .strings(people), "team": .string(team), "zone": .id(zone),
      "zoneName": .string(zoneName), "durationSeconds": .count(Int(durationSeconds)),
      "revoked": .bool(isRevoked), "callsign": .string(callsign), "issuedAt": .time(issuedAt),
    ]).adding(authorship.members)
  }
}

extension CheckInSummary {
  /// The JSON of `checkin list`.
  public var json: JSON {
    .object([
      "id": .id(id), "user": .id(user), "callsign": .string(callsign),
      "state": .string(state.name), "earliestSeconds": .known(earliestSeconds, JSON.integer),
      "latestSeconds": .known(latestSeconds, JSON.integer),
      "durationSeconds": .count(Int(durationSeconds)), "repeats": .bool(repeats),
      "graceSeconds": .count(Int(graceSeconds)), "stillSeconds": .count(Int(stillSeconds)),
      "still": .bool(isStill), "note": .string(note),
      "startedBy": .string(startedBy), "startedAt": .time(startedAt),
      "report": .known(report) { .string($0.kind.name) },
      "reportNote": .string(report?.note ?? ""), "reportedBy": .string(reportedBy),
      "reportedAt": .known(reportedAt, JSON.time),
    ])
  }
}

extension SafetyStatement {
  fileprivate var json: JSON {
    .object([
      "claim": .string(claim.name), "note": .string(note),
      "callsign": .string(callsign), "saidAt": .time(statedAt),
    ])
  }
}

extension DeviceSummary {
  /// The JSON of `device list`.
  public var json: JSON {
    .object([
      "id": .id(id), "user": .id(user), "callsign": .string(callsign), "role": .string(role.name),
      "rank": .count(rank), "isThisDevice": .bool(isThisDevice),
      "isRevoked": .bool(isRevoked), "councilMember": .bool(isCouncilMember),
      "disputed": .bool(isDisputed), "votes": .count(votes), "quorum": .count(quorum),
    ])
  }
}

extension CouncilSummary {
  /// As `council status` prints it.
  public var json: JSON {
    .object([
      "id": .string(id.description), "parent": parent.map { .string($0.description) } ?? .null,
      "serial": .unsigned(UInt64(serial)), "counts": .bool(counts), "quorum": .count(quorum),
      "members": .array(members.map(\.json)), "cases": .array(cases.map(\.json)),
      "endorsedBy": .array(endorsedBy.map { .string($0) }),
      "endorsementsNeeded": .count(endorsementsNeeded),
    ])
  }
}

extension CouncilSummary.Member {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign), "isThisDevice": .bool(isThisDevice),
      "isRevoked": .bool(isRevoked),
    ])
  }
}

extension CouncilSummary.Case {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign),
      "voters": .array(voters.map { .string($0) }), "isDecided": .bool(isDecided),
    ])
  }
}

extension CrossingSummary {
  /// The JSON of `event list`.
  public var json: JSON {
    JSON.object([
      "id": .id(id), "type": .string(type.name), "fence": .id(fence),
      "fenceName": .string(fenceName), "subject": .id(subject), "callsign": .string(callsign),
      "sampleTime": .time(sampleTime), "baseline": .bool(isBaseline),
    ]).adding(JSON.place(position))
  }
}

extension VerificationReport {
  /// The JSON of `verify`.
  public var json: JSON {
    .object([
      "ok": .bool(isOK), "frames": .count(frames), "logs": .count(logs),
      "photoParts": .count(photoParts),
      "stateHash": .string(stateHash.description), "problems": .strings(problems),
    ])
  }
}

extension StatusSummary {
  /// The JSON of `status`; ages count up to `now`.
  public func json(now: Timestamp) -> JSON {
    .object([
      "operation": .id(operation), "operationName": .string(operationName),
      "callsign": .string(callsign), "device": .id(device), "role": .string(role.name),
      "isRevoked": .bool(isRevoked), "stateHash": .string(stateHash.description),
      "stateIsIncomplete": .bool(stateIsIncomplete),
      "root": .string(Hex.encode(root)), "logs": .count(logs), "frames": .count(frames),
      "waitingFrames": .count(waitingFrames), "waitingWrites": .count(waitingWrites),
      "users": .count(users), "reports": .count(reports),
      "fences": .count(fences), "crossings": .count(crossings),
      "peers": .array(peers.map(\.json)), "fix": .known(fix) { $0.json(location, now: now) },
      "location": .known(location, \.json),
      "rejected": .object(rejected.mapValues(JSON.unsigned)),
      "droppedForLackOfRoom": .unsigned(droppedForLackOfRoom),
      "retransmissions": .object([
        "afterLoss": .unsigned(retransmissions.afterLoss),
        "withoutLoss": .unsigned(retransmissions.withoutLoss),
        "receivedParts": .unsigned(retransmissions.receivedParts),
      ]),
      "forkedLogs": .count(forks.count),
      "forks": .array(forks.map(\.json)), "clones": .array(clones.map(\.json)),
      "bounds": .array(bounds.map(\.json)), "epoch": .known(epoch, \.json),
      "withholding": .array(withholding.map(\.json)), "stale": .array(stale.map(\.json)),
      "diskFreeBytes": .known(diskFreeBytes, JSON.unsigned),
      "clockSuspect": .bool(clockLead?.isSuspect ?? false),
      "clockAheadSeconds": .known(clockLead) { .integer($0.seconds) },
      "stateFolderProblem": .known(stateFolderProblem, JSON.string),
      "quarantined": .count(quarantinedFrames), "missingFrames": .count(missingFrames),
      "uplink": .known(uplink, \.json),
    ])
  }
}

extension UplinkSummary {
  fileprivate var json: JSON {
    .object([
      "state": .known(state) { .string($0.name) },
      "posts": .array(posts.map(\.json)), "serves": serves.isEmpty ? .null : .string(serves),
      "guests": .count(guests),
    ])
  }
}

extension UplinkSummary.Post {
  fileprivate var json: JSON {
    .object([
      "url": .string(url), "state": .string(state.name), "sinceSeconds": .integer(sinceSeconds),
      "lastError": .string(lastError), "advice": .string(advice),
    ])
  }
}

extension UplinkSummary.State {
  /// The name on the command line and in the API.
  public var name: String {
    switch self {
    case .noCertificate: "noCertificate"
    case .connecting: "connecting"
    case .down: "down"
    case .up: "up"
    }
  }
}

extension InviteSummary {
  /// The JSON of `invite list`.
  public var json: JSON {
    .object([
      "id": .id(id), "role": .string(role.name), "user": .known(user, JSON.id),
      "usesLeft": .count(Int(usesLeft)), "createdAt": .time(createdAt),
      "expires": .time(expiresAt), "state": .string(state.name),
      "devices": .array(devices.map(JSON.id)),
    ])
  }
}

extension QuarantinedFrame {
  /// The JSON of `quarantine list`.
  public var json: JSON {
    .object([
      "id": .string(Hex.encode(Array(hash.bytes.prefix(16)))), "device": .id(device),
      "callsign": .string(callsign),
      "log": .id(log), "lane": .string("\(lane)"), "sequence": .unsigned(sequence),
      "writtenAt": .known(writtenAt, JSON.time), "contents": .strings(contents),
    ])
  }
}

extension StallSummary {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign), "seconds": .integer(seconds),
      "kind": .string(kind == .keepsToItself ? "keepsToItself" : "asksForNothing"),
    ])
  }
}

extension SilenceSummary {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign), "seconds": .integer(seconds),
    ])
  }
}

extension ForkSummary {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign), "log": .id(log),
      "lane": .string("\(lane)"), "place": .unsigned(place), "branches": .count(branches),
    ])
  }
}

extension BoundSummary {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign), "bound": .string(bound.name),
      "refusals": .unsigned(refusals),
    ])
  }
}

extension EpochSummary {
  fileprivate var json: JSON {
    .object([
      "id": .id(id), "generation": .count(Int(generation)), "callsign": .string(callsign),
      "isOwn": .bool(isOwn),
    ])
  }
}

extension CloneSummary {
  fileprivate var json: JSON {
    .object([
      "device": .id(device), "callsign": .string(callsign),
      "lives": .array([life, other].map(\.json)),
      "noticedAt": .known(noticedAt, JSON.time),
    ])
  }
}

extension IncarnationName {
  fileprivate var json: JSON {
    .object(["generation": .count(Int(generation)), "incarnation": .id(incarnation)])
  }
}

extension PeerSummary {
  /// The JSON of `peers`.
  public var json: JSON {
    .object([
      "callsign": .string(callsign), "device": .id(device), "state": .string(state.name),
      "isConnected": .bool(isConnected), "address": .string(endpoint.description),
      "interface": .string(interface), "lastHeardSeconds": .integer(lastHeardSeconds),
      "connectedSeconds": .known(connectedSeconds, JSON.integer),
      "roundTripMilliseconds": .known(roundTripMicroseconds) {
        .number(GeoJSON.decimal(Int64($0), places: 3))
      },
      "behindFrames": .unsigned(behindFrames), "sentBytes": .known(sentBytes, JSON.unsigned),
      "receivedBytes": .known(receivedBytes, JSON.unsigned),
      "needsUpdate": .known(needsUpdate) { .string($0.name) }, "isRevoked": .bool(isRevoked),
    ])
  }
}

extension UpdateNeed {
  /// The name in JSON.
  fileprivate var name: String {
    switch self {
    case .peer: "peer"
    case .thisLaptop: "self"
    }
  }
}

extension PeerSummary.State {
  /// The name for people and in JSON.
  public var name: String {
    switch self {
    case .connected: "connected"
    case .discovered: "heard"
    case .silent: "silent"
    }
  }
}

extension LocationStatus {
  fileprivate var json: JSON {
    .object([
      "source": .string(source), "state": .string(state), "mode": .string(mode),
      "refused": .object(refused.mapValues(JSON.unsigned)),
      "problem": .known(problem?.text, JSON.string), "phrase": .known(problem, \.json),
    ])
  }
}

extension PositionReport {
  fileprivate func json(_ location: LocationStatus?, now: Timestamp) -> JSON {
    JSON.object([
      "source": .known(location) { .string($0.source) },
      "mode": .known(location) { .string($0.mode) },
      "ageSeconds": .integer(max(0, now.milliseconds(since: reportedAt) / 1000)),
      "accuracyMetres": .metres(decimetres: fix.accuracyDecimetres),
      "sampleTime": .time(fix.sampleTime), "reportedAt": .time(reportedAt),
    ]).adding(JSON.place(fix.position))
  }
}

extension PhoneSummary {
  /// The JSON object.
  fileprivate var json: JSON {
    .object([
      "leftOut": .array(
        leftOut.map { .object(["reason": .string($0.reason), "count": .count($0.count)]) }),
      "alarm": .known(alarm, JSON.string),
      "alarmAgeSeconds": .known(alarmAgeSeconds, JSON.integer),
      "lateBySeconds": .known(lateBySeconds, JSON.integer),
      "reportsEverySeconds": .known(reportsEverySeconds, JSON.integer),
      "clockBehindSeconds": .integer(clockBehindSeconds),
    ])
  }
}
