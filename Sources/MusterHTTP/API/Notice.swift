internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// That a set has changed at a node, and how far it is: a reader that knows it up to `since` reads
/// the rows that are named, and all of it anew where none can be.
struct Notice: Sendable {
  let dataset: Dataset
  let since: UInt64
  let count: UInt64
  /// As JSON: source, dataset, sync count and rows.
  let text: String

  /// Named in one notice; beyond it the reader loads the set anew.
  private static let mostRows = 512

  init(source: String, dataset: Dataset, since: UInt64, count: UInt64, news: Node.News) {
    self.dataset = dataset
    self.since = since
    self.count = count
    var rows: JSON = .null
    if case .changed(let keys) = news, keys.count <= Self.mostRows {
      rows = .array(keys.map { .id($0.id) })
    }
    text =
      JSON.object([
        "source": .string(source), "dataset": .string(dataset.name), "syncCount": .unsigned(count),
        "rows": rows, "reload": .bool(rows == .null),
      ]).text
  }
}

/// Where a reader of an event stream stands: how far it knows each set. It is the id of each event,
/// so that a browser brings it back by itself.
struct StreamPlace: Hashable, Sendable {
  var counts: ChangeCounts

  init(_ counts: ChangeCounts) { self.counts = counts }

  /// Nil for what is none.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { UInt64($0) }
    guard numbers.count == parts.count, let counts = ChangeCounts(numbers) else { return nil }
    self.counts = counts
  }

  var text: String { counts.counts.map(String.init).joined(separator: "-") }
}

/// One event as `text/event-stream` has it.
struct StreamEvent {
  let bytes: ByteBuffer

  init(_ name: String, at place: StreamPlace, _ data: String) {
    bytes = ByteBuffer(string: "event: \(name)\nid: \(place.text)\ndata: \(data)\n\n")
  }

  /// How soon a browser comes back that has lost its stream, in milliseconds.
  static let retry = ByteBuffer(string: "retry: 500\n\n")

  /// Says nothing, and shows that the stream stands.
  static let pulse = ByteBuffer(string: ": \n\n")
}
