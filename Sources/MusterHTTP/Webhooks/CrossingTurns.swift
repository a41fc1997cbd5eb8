internal import MusterModel

/// The order in which a webhook receives crossings: their authors take turns, each in the order of
/// arrival. An author who had nothing to post comes first when something arrives, so that a flood
/// of one device delays the crossing of another by one post (flow queueing as in RFC 8290, by
/// author).
///
///     log ──▶ found ──▶ new authors ──▶ turn: one post ──▶ waiting authors ──▶ turn …
///
/// It holds numbers only: the log is the queue.
struct CrossingTurns: Sendable {
  /// A turn: the crossings of an author between two arrival numbers.
  struct Turn: Hashable, Sendable {
    let author: DeviceID
    /// That of the last one that is done.
    let after: Int64
    /// That of the last one that was found.
    let upTo: Int64
  }

  private struct Backlog: Hashable, Sendable {
    var done: Int64
    var last: Int64
  }

  /// The arrival number of the last crossing that was found.
  private(set) var found: Int64
  /// Those with something to post.
  private var backlogs: [DeviceID: Backlog] = [:]
  /// Authors that had nothing to post before, the earliest first.
  private var new: [DeviceID] = []
  /// The others, in the order of their turns. One whose backlog ends stays until its turn: with
  /// few crossings at a time it would always be new.
  private var waiting: [DeviceID] = []
  /// All crossings up to this arrival number are done.
  private(set) var arrival: Int64
  /// The last that is done of authors who are further.
  private(set) var ahead: [DeviceID: Int64]

  /// Goes on from a position.
  init(from place: WebhookPosition) {
    (found, arrival, ahead) = (place.arrival, place.arrival, place.ahead)
  }

  /// Whether a position is that of what is done.
  func continues(_ place: WebhookPosition) -> Bool {
    place.arrival == arrival && place.ahead == ahead
  }

  /// Adds a crossing that was found in the log, in the order of arrival.
  mutating func add(_ arrival: Int64, by author: DeviceID) {
    found = arrival
    // It was posted before a restart.
    if let last = ahead[author], arrival <= last { return }
    guard backlogs[author] == nil else {
      backlogs[author]?.last = arrival
      return
    }
    backlogs[author] = Backlog(done: arrival - 1, last: arrival)
    if !new.contains(author), !waiting.contains(author) { new.append(author) }
  }

  /// Returns the next turn; nil if all that was found is done.
  mutating func next() -> Turn? {
    while let author = new.first ?? waiting.first {
      if let backlog = backlogs[author] {
        return Turn(author: author, after: backlog.done, upTo: backlog.last)
      }
      if new.isEmpty { waiting.removeFirst() } else { new.removeFirst() }
    }
    return nil
  }

  /// Whether others than this author have something to post.
  func hasOthers(than author: DeviceID) -> Bool {
    backlogs.count > (backlogs[author] == nil ? 0 : 1)
  }

  /// Records that the crossings of an author up to an arrival number are done.
  mutating func finish(_ author: DeviceID, upTo last: Int64) {
    if let backlog = backlogs[author] {
      if last >= backlog.last { backlogs[author] = nil } else { backlogs[author]?.done = last }
    }
    arrival = backlogs.values.map(\.done).min() ?? found
    ahead[author] = last
    ahead = ahead.filter { $0.value > arrival }
  }

  /// Ends the turn of an author, behind those that wait.
  mutating func endTurn(of author: DeviceID) {
    if new.first == author { new.removeFirst() } else { waiting.removeAll { $0 == author } }
    waiting.append(author)
  }
}
