internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The notice that a data set has changed at a node, with the new count. A reader that knows the
/// set up to `since` reads the named rows; if no rows are named, it reloads the set.
struct Notice: Sendable {
  let dataset: Dataset
  let since: UInt64
  let count: UInt64
  /// As JSON: source, dataset, sync count and rows.
  let text: String
  /// Of the records of this node's user; none of another set.
  let pushes: [PushNotice]

  /// The most rows in one notice; beyond it the reader reloads the set.
  private static let mostRows = 512

  /// Reads what changed since a count of a reader.
  ///
  /// - Parameter count: the current one, read before.
  init(
    of dataset: Dataset, since known: UInt64, until count: UInt64, from source: String,
    at node: Node
  ) async throws {
    let missed = await node.missedChanges(of: dataset, since: known)
    self.init(
      source: source, dataset: dataset, since: known, count: count, missed: missed,
      pushes: dataset == .records ? try await PushNotice.all(of: missed, at: node) : [])
  }

  init(
    source: String, dataset: Dataset, since: UInt64, count: UInt64, missed: Node.MissedChanges,
    pushes: [PushNotice] = []
  ) {
    self.dataset = dataset
    self.pushes = pushes
    self.since = since
    self.count = count
    var rows: JSON = .null
    if case .changed(let keys) = missed, keys.count <= Self.mostRows {
      rows = .array(keys.map { .id($0.id) })
    }
    text =
      JSON.object([
        "source": .string(source), "dataset": .string(dataset.name), "syncCount": .unsigned(count),
        "rows": rows, "reload": .bool(rows == .null),
      ]).text
  }
}

/// The position of a reader of an event stream: the count of each set. It is the id of each event,
/// so that a browser sends it back when it reconnects.
struct StreamPosition: Hashable, Sendable {
  var counts: ChangeCounts

  init(_ counts: ChangeCounts) { self.counts = counts }

  /// Returns nil for malformed text.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt64($0) }
    guard numbers.count == parts.count, let counts = ChangeCounts(numbers) else { return nil }
    self.counts = counts
  }

  var text: String { counts.counts.map(String.init).joined(separator: "-") }
}

/// One event in the form of `text/event-stream`.
struct StreamEvent {
  let bytes: ByteBuffer

  init(_ name: String, at place: StreamPosition, _ data: String) {
    bytes = ByteBuffer(string: "event: \(name)\nid: \(place.text)\ndata: \(data)\n\n")
  }

  /// The delay in milliseconds after which a browser reconnects a lost stream.
  static let retry = ByteBuffer(string: "retry: 500\n\n")

  /// An empty message, which shows that the stream is open.
  static let pulse = ByteBuffer(string: ": \n\n")
}
