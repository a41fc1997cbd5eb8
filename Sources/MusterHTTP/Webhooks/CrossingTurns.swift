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
  /// The last that is done, of authors who are ahead of others.
  private var done: [DeviceID: Int64]

  /// Goes on from a position.
  init(from place: WebhookPosition) {
    found = place.arrival
    done = place.ahead
  }

  /// Whether it goes on from a position.
  func continues(_ place: WebhookPosition) -> Bool {
    place.arrival == arrival && place.ahead == ahead
  }

  /// Adds a crossing that was found in the log, in the order of arrival.
  mutating func add(_ arrival: Int64, by author: DeviceID) {
    found = arrival
    // It was posted before a restart.
    if let last = done[author], arrival <= last { return }
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
  mutating func finish(_ author: DeviceID, upTo arrival: Int64) {
    done[author] = arrival
    guard let backlog = backlogs[author] else { return }
    if arrival >= backlog.last {
      backlogs[author] = nil
    } else {
      backlogs[author]?.done = arrival
    }
  }

  /// Ends the turn of an author, behind those that wait.
  mutating func endTurn(of author: DeviceID) {
    if new.first == author { new.removeFirst() } else { waiting.removeAll { $0 == author } }
    waiting.append(author)
  }

  // MARK: The position

  /// All crossings up to this arrival number are done.
  var arrival: Int64 { backlogs.values.map(\.done).min() ?? found }

  /// The last that is done of authors who are further.
  var ahead: [DeviceID: Int64] {
    let arrival = arrival
    return done.filter { $0.value > arrival }
  }

  /// Forgets what the position does not need.
  mutating func prune() { done = ahead }
}
