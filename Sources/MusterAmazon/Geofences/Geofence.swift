internal import MusterInterchange
internal import MusterModel

/// A fence as a geofence of the service.
struct Geofence: Sendable {
  /// The collection of the zones that were not written into a collection. Their ids are those of
  /// their rows.
  static let ownCollection = "fences"
  static let mostProperties = 3
  static let propertyKeys = 1...20
  static let propertyValues = 1...40
  /// The property that states what being inside means: `muster`, `hazard` or `info`.
  static let kindProperty = "kind"

  let row: RowID
  let id: String
  let geometry: FenceGeometry
  /// An inactive fence is not evaluated.
  let isActive: Bool
  let kind: FenceKind
  /// As stored: JSON, or any other text.
  let properties: String
  let createdAt: Timestamp
  let updatedAt: Timestamp

  init(_ fence: FenceSummary, id: String) {
    row = fence.id
    self.id = id
    geometry = fence.geometry
    isActive = fence.isActive
    kind = fence.kind
    properties = fence.properties
    createdAt = fence.createdAt
    updatedAt = fence.updatedAt
  }

  /// `Status` of the service: an inactive fence waits for its activation.
  private var status: String { isActive ? "ACTIVE" : "PENDING" }

  /// The members of a response.
  var json: [String: JSON] {
    var members: [String: JSON] = [
      "GeofenceId": .string(id), "Geometry": GeometryForm.json(of: geometry),
      "Status": .string(status), "CreateTime": .time(createdAt), "UpdateTime": .time(updatedAt),
    ]
    let shown = shownProperties
    if !shown.isEmpty { members["GeofenceProperties"] = .object(shown.mapValues(JSON.string)) }
    return members
  }

  /// The members of a response to a write.
  var receipt: [String: JSON] {
    [
      "GeofenceId": .string(id), "CreateTime": .time(createdAt), "UpdateTime": .time(updatedAt),
    ]
  }

  // MARK: Properties

  /// The first properties that the service can express.
  var shownProperties: [String: String] {
    let members = Self.members(of: properties) ?? [:]
    let shown = members.compactMap { key, value -> (String, String)? in
      guard let text = value.word, Self.propertyKeys.contains(key.unicodeScalars.count),
        Self.propertyValues.contains(text.unicodeScalars.count)
      else { return nil }
      return (key, text)
    }.sorted { $0.0 < $1.0 }
    return Dictionary(uniqueKeysWithValues: shown.prefix(Self.mostProperties))
  }

  /// Returns the stored properties with others in place of those that the service shows; nil if
  /// nothing changes.
  func properties(replacedBy new: [String: String]) -> String? {
    guard new != shownProperties else { return nil }
    var members = Self.members(of: properties) ?? ["properties": .string(properties)]
    if properties.isEmpty { members = [:] }
    for key in shownProperties.keys { members[key] = nil }
    members.merge(new.mapValues(JSON.string)) { $1 }
    return JSON.object(members).text
  }

  private static func members(of text: String) -> [String: JSON]? {
    do {
      return try JSON.read(Array(text.utf8)).members
    } catch {
      // Free text, which the service cannot express.
      return nil
    }
  }
}
