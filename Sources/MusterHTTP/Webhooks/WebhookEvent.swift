internal import MusterInterchange
internal import MusterModel

/// One event as a CloudEvent (1.0, structured JSON). Its id is the same on every node and in every
/// attempt, so that a receiver detects duplicates.
struct WebhookEvent: Hashable {
  static let type = "application/cloudevents+json"

  let id: String
  let body: String

  /// A crossing, with data in the form that consumers of AWS Location geofence events read. For a
  /// fence in a collection, it has the names that programs gave the fence and the tracker.
  init(_ crossing: CrossingSummary, operation: OperationID, source: DeviceID) {
    let isNamed = !crossing.fenceCollection.isEmpty
    let collection = isNamed ? crossing.fenceCollection : "fences"
    let data = JSON.object([
      "version": .string("0"), "id": .id(crossing.id),
      "detail-type": .string("Location Geofence Event"), "source": .string("aws.geo"),
      "account": .id(operation), "time": .time(crossing.sampleTime), "region": .string("muster"),
      "resources": .strings([
        "muster:\(operation):geofence-collection/\(collection)",
        "muster:\(operation):tracker/devices",
      ]),
      "detail": .object([
        "EventType": .string(crossing.type.name),
        "GeofenceId": .string(isNamed ? crossing.fenceName : "\(crossing.fence)"),
        "DeviceId": .string(isNamed ? crossing.callsign : "\(crossing.subject)"),
        "SampleTime": .time(crossing.sampleTime),
        "Position": .array([
          .real(crossing.position.longitude), .real(crossing.position.latitude),
        ]),
        "GeofenceProperties": .object(["name": .string(crossing.fenceName)]),
        "PositionProperties": .object([
          "callsign": .string(crossing.callsign), "baseline": .bool(crossing.isBaseline),
        ]),
      ]),
    ])
    self.init(
      id: "\(crossing.id)", kind: "crossing.\(crossing.type.name.lowercased())",
      subject: "\(crossing.fence)", operation: operation, source: source,
      time: crossing.sampleTime, data: data)
  }

  /// A change of a data set at this node, as in an event stream.
  init(_ notice: Notice, operation: OperationID, source: DeviceID, now: Timestamp) throws {
    self.init(
      id: "\(source)-\(notice.dataset.name)-\(notice.count)", kind: "change",
      subject: notice.dataset.name, operation: operation, source: source, time: now,
      data: try JSON.read(Array(notice.text.utf8)))
  }

  /// A change of records of this node's user.
  init(_ push: PushNotice, operation: OperationID, source: DeviceID, now: Timestamp) throws {
    self.init(
      id: "\(source)-push-\(push.dataset)-\(push.syncCount)", kind: "push",
      subject: push.dataset, operation: operation, source: source, time: now,
      data: try JSON.read(Array(push.text.utf8)))
  }

  /// An alert of the node that was raised, acknowledged or cleared.
  init(_ change: AlertChange, operation: OperationID, source: DeviceID, now: Timestamp) {
    let (word, alert, time): (String, Alert, Timestamp) =
      switch change {
      case .raised(let alert): ("raised", alert, alert.since)
      case .acknowledged(let alert):
        ("acknowledged", alert, alert.acknowledgement?.moment ?? now)
      case .shelved(let alert): ("shelved", alert, now)
      case .cleared(let alert): ("cleared", alert, now)
      }
    // An alert whose level rises is raised again.
    let name = "\(alert.id.kind.name)-\(alert.id.row)-\(alert.since.milliseconds)"
    self.init(
      id: "\(source)-\(name)-\(alert.level.name)-\(word)", kind: "alert.\(word)",
      subject: "\(alert.id)", operation: operation, source: source, time: time, data: change.json)
  }

  private init(
    id: String, kind: String, subject: String, operation: OperationID, source: DeviceID,
    time: Timestamp, data: JSON
  ) {
    self.id = id
    body =
      JSON.object([
        "specversion": .string("1.0"), "id": .string(id),
        "source": .string("urn:muster:\(operation):device:\(source)"),
        "type": .string("muster.\(kind).v1"), "subject": .string(subject), "time": .time(time),
        "datacontenttype": .string("application/json"), "data": data,
      ]).text
  }
}
