public import MusterModel
internal import MusterReplica

/// The exposure that this device's user reported.
public struct OwnReport: Codable, Hashable, Sendable {
  /// What was reported.
  public var kind: ExposureKind
  /// The text for command.
  public var text: String
  /// The days whose keys were sealed to command, oldest first.
  public var days: [Timestamp]
  /// Whether command published it, as known to this node.
  public var isPublished: Bool

  /// Creates a report.
  public init(kind: ExposureKind, text: String, days: [Timestamp], isPublished: Bool) {
    self.kind = kind
    self.text = text
    self.days = days
    self.isPublished = isPublished
  }
}

/// An exposure notice that concerns this device's user.
public struct NearbyExposure: Codable, Hashable, Sendable {
  /// The time near affected devices on one day.
  public struct Day: Codable, Hashable, Sendable {
    /// The start of the day, in UTC.
    public var day: Timestamp
    /// Rounded up.
    public var minutes: Int
    /// The strongest signal in dBm.
    public var rssi: Int

    /// Creates a day.
    public init(day: Timestamp, minutes: Int, rssi: Int) {
      self.day = day
      self.minutes = minutes
      self.rssi = rssi
    }
  }

  /// The notice.
  public var id: ExposureID
  /// What it is about.
  public var kind: ExposureKind
  /// What to do, as command wrote it; empty for none.
  public var text: String
  /// When command published it, by command's clock: a label.
  public var publishedAt: Timestamp
  /// The days with sightings, oldest first.
  public var days: [Day]

  /// Creates an exposure.
  public init(
    id: ExposureID, kind: ExposureKind, text: String, publishedAt: Timestamp, days: [Day]
  ) {
    self.id = id
    self.kind = kind
    self.text = text
    self.publishedAt = publishedAt
    self.days = days
  }
}

/// What command sees of the notes that devices sent.
public struct ExposureReview: Codable, Hashable, Sendable {
  /// The state of a report or notice.
  public enum State: String, Codable, Hashable, Sendable {
    /// Reported, and not published.
    case reported
    case published
    /// Published, and then withdrawn by the person: command is to withdraw the notice.
    case withdrawn
  }

  /// A report, a notice, or both.
  public struct Item: Codable, Hashable, Sendable {
    /// The same for the report and the notice.
    public var id: ExposureID
    /// What it is about.
    public var kind: ExposureKind
    /// The text of the notice if it is published, else that of the report.
    public var text: String
    /// Who reported or withdrew it; empty if that is not known here. Several names are of people
    /// who all claim to: a member can name a notice once it is published.
    public var callsign: String
    /// The days of its keys, oldest first.
    public var days: [Timestamp]
    /// Its state.
    public var state: State
    /// The people that it concerns, of those who agreed to be counted.
    public var people: Int

    /// Creates an item.
    public init(
      id: ExposureID, kind: ExposureKind, text: String, callsign: String, days: [Timestamp],
      state: State, people: Int
    ) {
      self.id = id
      self.kind = kind
      self.text = text
      self.callsign = callsign
      self.days = days
      self.state = state
      self.people = people
    }
  }

  /// The sessions that one device sent.
  public struct Sender: Codable, Hashable, Sendable {
    /// Who sent them.
    public var callsign: String
    /// By the sender's clock: a label.
    public var writtenAt: Timestamp
    /// The newest first.
    public var sessions: [NoteSession]

    /// Creates a sender.
    public init(callsign: String, writtenAt: Timestamp, sessions: [NoteSession]) {
      self.callsign = callsign
      self.writtenAt = writtenAt
      self.sessions = sessions
    }
  }

  /// By id.
  public var items: [Item]
  /// By callsign.
  public var senders: [Sender]

  /// Creates a review.
  public init(items: [Item], senders: [Sender]) {
    self.items = items
    self.senders = senders
  }

  /// Combines notes with notices. Only the key from which the id of a report was derived withdraws
  /// it: every member reads the ids of notices, and could report or withdraw them.
  init(_ notes: [ReceivedNote], _ notices: [PublishedNotice]) {
    let published = Dictionary(notices.map { ($0.notice.id, $0.notice) }) { first, _ in first }
    var found: [ExposureID: Item] = [:]
    for notice in published.values {
      found[notice.id] = Item(notice, state: .published)
    }
    var names: [ExposureID: Set<String>] = [:]
    for note in notes {
      guard let report = note.note.report else { continue }
      names[report.id, default: []].insert(note.callsign)
      found[report.id] = found[report.id] ?? Item(report, state: .reported)
    }
    for note in notes {
      for id in note.note.withdrawn.map(ExposureID.init(withdrawnBy:)) where published[id] != nil {
        names[id, default: []].insert(note.callsign)
        found[id]?.state = .withdrawn
      }
    }
    for (id, _) in found {
      found[id]?.callsign = (names[id] ?? []).sorted().joined(separator: ", ")
      found[id]?.people = Set(notes.filter { $0.note.matched.contains(id) }.map(\.user)).count
    }
    items = found.values.sorted { $0.id < $1.id }
    senders = notes.filter { !$0.note.sessions.isEmpty }
      .sorted { ($0.callsign, $0.device) < ($1.callsign, $1.device) }
      .map { Sender(callsign: $0.callsign, writtenAt: $0.writtenAt, sessions: $0.note.sessions) }
  }
}

extension ExposureReview.Item {
  fileprivate init(_ notice: ExposureNotice, state: ExposureReview.State) {
    self.init(
      id: notice.id, kind: notice.kind, text: notice.text, callsign: "",
      days: notice.keys.map(\.dayStart), state: state, people: 0)
  }
}

extension ExposureKey {
  /// The start of its day, in UTC.
  var dayStart: Timestamp { Timestamp(milliseconds: Int64(day) * 600_000) }
}
