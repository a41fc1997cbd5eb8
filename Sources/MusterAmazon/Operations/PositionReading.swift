internal import MusterGeo
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The operations that read positions and tracks: of everyone in the operation, whatever tracker
/// is named.
struct PositionReading: Sendable {
  let node: Node
  let trackers: TrackerOperations

  private static let batch = 1...10
  /// The newest fixes of a track that are searched.
  private static let mostFixes = 50_000
  private static let mostPerPage = 100
  private static let dayMilliseconds: Int64 = 86_400_000

  // MARK: Newest positions

  func get(_ call: Call) async throws(ServiceFault) -> JSON {
    let tracker = try call.name("TrackerName")
    let id = try call.id("DeviceId")
    _ = try trackers.existing(tracker)
    guard let json = Self.json(of: id, try await DeviceDirectory(of: node)) else {
      throw .notFound("a position of the device", id)
    }
    return json
  }

  func batchGet(_ call: Call) async throws(ServiceFault) -> JSON {
    let tracker = try call.name("TrackerName")
    let ids = try call.input.ids("DeviceIds", count: Self.batch)
    _ = try trackers.existing(tracker)
    let directory = try await DeviceDirectory(of: node)
    var (positions, errors): ([JSON], [JSON]) = ([], [])
    for id in ids {
      if let json = Self.json(of: id, directory) {
        positions.append(json)
      } else {
        let fault = ServiceFault.notFound("a position of the device", id)
        errors.append(.object(["DeviceId": .string(id), "Error": fault.batchItem]))
      }
    }
    return .object(["DevicePositions": .array(positions), "Errors": .array(errors)])
  }

  /// Returns nil without a position.
  private static func json(of id: String, _ directory: DeviceDirectory) -> JSON? {
    guard let person = directory.person(id), let fix = person.fix else { return nil }
    return json(of: fix, device: id).adding([
      "ReceivedTime": .time(person.reportedAt ?? fix.sampleTime)
    ])
  }

  private static func json(of fix: Fix, device id: String) -> JSON {
    var members: [String: JSON] = [
      "DeviceId": .string(id), "SampleTime": .time(fix.sampleTime),
      "Position": GeometryForm.json(of: fix.position),
    ]
    if let accuracy = fix.accuracyDecimetres {
      members["Accuracy"] = .object(["Horizontal": .real(Double(accuracy) / 10)])
    }
    return .object(members)
  }

  func list(_ call: Call) async throws(ServiceFault) -> JSON {
    let tracker = try call.name("TrackerName")
    let filter = try call.input.object("FilterGeometry")
    let area = try filter.map { filter throws(ServiceFault) in
      try filter.required("Polygon", GeometryForm.area(of: filter))
    }
    _ = try trackers.existing(tracker)
    let located = try await DeviceDirectory(of: node).located.filter { device in
      area?.contains(device.fix.position) ?? true
    }
    let page = try Page(of: located, by: \.id, call.input)
    return .page(
      "Entries", page.elements.map { Self.json(of: $0.fix, device: $0.id) }, next: page.next)
  }

  // MARK: History

  /// The range of sample times, and how many of its fixes earlier pages had.
  private struct Window {
    var start: Int64
    var end: Int64
    var skipped = 0

    init(_ call: Call) throws(ServiceFault) {
      let input = call.input
      let end = try input.time("EndTimeExclusive")
      let start = try input.time("StartTimeInclusive")
      // By default until now, and what arrives within this millisecond.
      self.end = end?.milliseconds ?? call.now.milliseconds + 1
      self.start = start?.milliseconds ?? self.end - PositionReading.dayMilliseconds
      guard self.start < self.end else {
        throw .invalid("StartTimeInclusive", "must be before EndTimeExclusive")
      }
      guard let key = try Page<Fix>.key(of: input) else { return }
      let numbers = key.split(separator: " ").compactMap { Int64($0) }
      guard numbers.count == 3, numbers[0] < numbers[1], let skipped = Int(exactly: numbers[2]),
        skipped >= 0
      else {
        throw .invalid("NextToken", "is not a token of this service")
      }
      (self.start, self.end, self.skipped) = (numbers[0], numbers[1], skipped)
    }
  }

  func history(_ call: Call) async throws(ServiceFault) -> JSON {
    let tracker = try call.name("TrackerName")
    let id = try call.id("DeviceId")
    let limit = try call.input.integer("MaxResults", in: 1...Self.mostPerPage) ?? Self.mostPerPage
    let window = try Window(call)
    _ = try trackers.existing(tracker)
    guard let person = try await DeviceDirectory(of: node).person(id) else {
      throw .notFound("the device", id)
    }
    let track: [Fix]
    do {
      track = try await node.track(of: person.id, limit: Self.mostFixes)
    } catch {
      throw ServiceFault(refusing: error)
    }
    let found = track.filter {
      (window.start..<window.end).contains($0.sampleTime.milliseconds)
    }.dropFirst(window.skipped)
    let next =
      found.count > limit
      ? Page<Fix>.token(of: "\(window.start) \(window.end) \(window.skipped + limit)") : nil
    let positions = found.prefix(limit).map { fix in
      Self.json(of: fix, device: id).adding(["ReceivedTime": .time(fix.sampleTime)])
    }
    return .page("DevicePositions", positions, next: next)
  }
}
