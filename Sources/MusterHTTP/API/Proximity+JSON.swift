public import MusterInterchange
internal import MusterModel
public import MusterNode

/// The JSON of the proximity log and of exposures, for the API and the command line.
extension ProximityStatus {
  /// The whole status.
  public var json: JSON {
    .object([
      "on": .bool(isOn), "scanning": .string(scanning.rawValue),
      "advertising": .string(advertising.rawValue),
      "source": .string(source), "counted": .unsigned(counted),
      "refused": .object(refused.mapValues { .unsigned($0) }), "intervals": .count(intervals),
      "days": .count(days),
      "adapter": .string(adapter), "problem": .string(problem),
      "sendsSessions": .bool(sendsSessions), "sharesCount": .bool(sharesCount),
      "showsName": .bool(showsName),
      "report": report.map(\.json) ?? .null,
    ])
  }
}

extension OwnReport {
  fileprivate var json: JSON {
    .object([
      "kind": .string(kind.name), "text": .string(text), "days": .array(days.map(JSON.time)),
      "isPublished": .bool(isPublished),
    ])
  }
}

extension NearbyDevice {
  /// One identifier.
  public var json: JSON {
    .object([
      "identifier": .string(identifier), "name": .string(name), "rssi": .count(rssi),
      "first": .time(first), "last": .time(last),
    ])
  }
}

extension ProximitySession {
  /// One session.
  public var json: JSON {
    .object([
      "start": .time(start), "end": .time(end), "identifiers": .count(identifiers),
      "isSent": .bool(isSent), "isSynced": .bool(isSynced),
    ])
  }
}

extension OwnIdentity {
  /// The identifier of this moment.
  public var json: JSON {
    .object([
      "identifier": .string(identifier), "serviceData": .string(serviceData),
      "name": .string(name), "changesAt": .time(changesAt), "days": .array(days.map(JSON.time)),
    ])
  }
}

extension NearbyExposure {
  /// One notice that concerns the user.
  public var json: JSON {
    .object([
      "id": .string("\(id)"), "kind": .string(kind.name), "text": .string(text),
      "publishedAt": .time(publishedAt),
      "days": .array(
        days.map {
          .object(["day": .time($0.day), "minutes": .count($0.minutes), "rssi": .count($0.rssi)])
        }),
    ])
  }
}

extension ExposureReview {
  /// What command reviews.
  public var json: JSON {
    .object([
      "items": .array(items.map(\.json)), "senders": .array(senders.map(\.json)),
    ])
  }
}

extension ExposureReview.Item {
  fileprivate var json: JSON {
    .object([
      "id": .string("\(id)"), "kind": .string(kind.name), "text": .string(text),
      "callsign": .string(callsign), "days": .array(days.map(JSON.time)),
      "state": .string(state.rawValue), "people": .count(people),
    ])
  }
}

extension ExposureReview.Sender {
  fileprivate var json: JSON {
    .object([
      "callsign": .string(callsign), "writtenAt": .time(writtenAt),
      "sessions": .array(
        sessions.map {
          .object([
            "start": .time($0.start), "end": .time($0.stop),
            "identifiers": .count(Int($0.identifiers)), "names": .strings($0.names),
          ])
        }),
    ])
  }
}
