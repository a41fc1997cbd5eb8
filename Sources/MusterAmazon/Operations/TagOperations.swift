internal import MusterInterchange
internal import MusterModel

/// The operations on the tags of collections and trackers, which this node stores for the programs
/// that set them.
struct TagOperations: Sendable {
  let store: ResourceStore
  let collections: CollectionOperations
  let trackers: TrackerOperations

  private static let keys = 1...128
  private static let values = 0...256

  func tag(_ call: Call) async throws(ServiceFault) -> JSON {
    let arn = try call.arn("ResourceArn")
    let new = try call.input.required("Tags", Self.tags(in: call.input))
    try await change(arn) { tags throws(ServiceFault) in
      tags.merge(new) { $1 }
      guard tags.count <= Resources.mostTags else {
        throw .invalid("Tags", "must be at most \(Resources.mostTags) on one resource")
      }
    }
    return .object([:])
  }

  func untag(_ call: Call) async throws(ServiceFault) -> JSON {
    let arn = try call.arn("ResourceArn")
    let keys = call.values(of: "tagKeys")
    guard (1...Resources.mostTags).contains(keys.count) else {
      throw .invalid("tagKeys", "must have 1 to \(Resources.mostTags) elements")
    }
    try await change(arn) { tags throws(ServiceFault) in
      for key in keys { tags[key] = nil }
    }
    return .object([:])
  }

  func list(_ call: Call) async throws(ServiceFault) -> JSON {
    let arn = try call.arn("ResourceArn")
    let tags =
      switch arn.kind {
      case .collection: try await collections.existing(arn.name).tags
      case .tracker: try trackers.existing(arn.name).tags
      }
    return .object(["Tags": Self.json(of: tags)])
  }

  private func change(
    _ arn: ResourceARN, _ body: (inout [String: String]) throws(ServiceFault) -> Void
  ) async throws(ServiceFault) {
    switch arn.kind {
    case .collection:
      try await collections.change(arn.name) { record throws(ServiceFault) in
        try body(&record.tags)
      }
    case .tracker:
      try trackers.change(arn.name) { record throws(ServiceFault) in try body(&record.tags) }
    }
  }

  /// Reads the member `Tags` of an input; nil if it is missing.
  static func tags(in input: Input) throws(ServiceFault) -> [String: String]? {
    try input.map("Tags", most: Resources.mostTags, keys: keys, values: values)
  }

  static func json(of tags: [String: String]) -> JSON { .object(tags.mapValues(JSON.string)) }
}
