public import MusterModel

/// A command about the proximity log of this device.
public enum ProximityCommand: Codable, Hashable, Sendable {
  case status
  /// Records devices nearby, and scans and advertises by the Bluetooth adapter, or none of it.
  case setOn(Bool)
  /// Advertises the user's name with the identifier, or not.
  case showName(Bool)
  /// Keeps sightings and daily keys for some days, from 1 to 14.
  case keep(days: Int)
  /// The devices that were received in the last hours, from 1 to 336.
  case devices(hours: Int)
  case sessions
  /// The own identifier of this moment.
  case own
  /// Agrees, or no longer agrees, to send sessions to command; or, with `count`, to be counted by
  /// command among those that a notice concerns.
  case consent(Bool, count: Bool)
  /// Sends the sessions to command now.
  case send
  /// Seals the own daily keys of ended days to command.
  case reportPositive(ExposureKind, text: String)
  /// Withdraws the own report.
  case withdrawReport
  /// The exposure notices that concern this device's user.
  case notices
  /// As command, what devices sent.
  case review
  /// As command, publishes a report without a name, under another text.
  case publish(String, text: String)
  /// As command, withdraws a notice.
  case withdrawNotice(String)

  /// Whether it appends to this device's logs.
  var appends: Bool {
    switch self {
    case .status, .setOn, .showName, .keep, .devices, .sessions, .own, .notices, .review: false
    case .consent, .send, .reportPositive, .withdrawReport, .publish, .withdrawNotice: true
    }
  }
}

/// A node's reply to a command about its proximity log.
public enum ProximityReply: Codable, Hashable, Sendable {
  case status(ProximityStatus)
  /// The device received last is first. A truncated list lacks the oldest.
  case devices([NearbyDevice], isTruncated: Bool)
  /// The newest is first.
  case sessions([ProximitySession])
  case own(OwnIdentity)
  /// How many command devices can read what was sent.
  case sent(recipients: Int)
  case notices([NearbyExposure])
  case review(ExposureReview)
  /// The notice that was published or withdrawn.
  case published(ExposureID)
}

/// The state of a part of the proximity log.
public enum ProximityState: String, Codable, Hashable, Sendable {
  /// No adapter or source reported yet whether it works, or another program may do it.
  case unknown
  case on
  case off
}

/// The state of the proximity log.
public struct ProximityStatus: Codable, Hashable, Sendable {
  /// Whether the user wants devices to be recorded, by the Bluetooth adapter or by a source.
  public var isOn = false
  /// Whether sightings are recorded.
  public var scanning: ProximityState
  /// Whether this device advertises its identifier.
  public var advertising: ProximityState
  /// The source of sightings; empty for none.
  public var source: String
  /// The Bluetooth adapter that scans and advertises, such as `hci0`; empty for none.
  public var adapter = ""
  /// Why the Bluetooth adapter does not scan or advertise, and what to do; empty if it does both,
  /// or is not to be used.
  public var problem = ""
  /// The sightings that were counted since the start.
  public var counted: UInt64
  /// The lines that were not counted, by reason.
  public var refused: [String: UInt64]
  /// The intervals that are stored.
  public var intervals: Int
  /// The days that the log is kept.
  public var days = 0
  /// Whether sessions are sent to command.
  public var sendsSessions = false
  /// Whether command may count this person among those that a notice concerns.
  public var sharesCount = false
  /// Whether the user's name is advertised.
  public var showsName = false
  /// The exposure that this person reported; nil for none.
  public var report: OwnReport?

  /// Creates a status without consents and report.
  public init(
    scanning: ProximityState, advertising: ProximityState, source: String, counted: UInt64,
    refused: [String: UInt64], intervals: Int
  ) {
    self.scanning = scanning
    self.advertising = advertising
    self.source = source
    self.counted = counted
    self.refused = refused
    self.intervals = intervals
  }
}

/// An identifier that was received. A device that rotates its identifier is several of these.
public struct NearbyDevice: Codable, Hashable, Sendable {
  /// Thirty-two hexadecimal digits.
  public var identifier: String
  /// The name that the device shows; empty for none.
  public var name: String
  /// The strongest signal in dBm.
  public var rssi: Int
  /// When it was received first, in the hours that were asked for.
  public var first: Timestamp
  /// When it was received last.
  public var last: Timestamp

  /// Creates a device.
  public init(identifier: String, name: String, rssi: Int, first: Timestamp, last: Timestamp) {
    self.identifier = identifier
    self.name = name
    self.rssi = rssi
    self.first = first
    self.last = last
  }
}

/// A span of consecutive intervals with sightings.
public struct ProximitySession: Codable, Hashable, Sendable {
  /// The start of its first interval.
  public var start: Timestamp
  /// The end of its last interval.
  public var end: Timestamp
  /// The different identifiers.
  public var identifiers: Int
  /// Whether it was sent to command.
  public var isSent: Bool
  /// Whether a device of command acknowledged it.
  public var isSynced: Bool

  /// Creates a session.
  public init(
    start: Timestamp, end: Timestamp, identifiers: Int, isSent: Bool = false,
    isSynced: Bool = false
  ) {
    self.start = start
    self.end = end
    self.identifiers = identifiers
    self.isSent = isSent
    self.isSynced = isSynced
  }
}

/// What this device advertises at this moment.
public struct OwnIdentity: Codable, Hashable, Sendable {
  /// Thirty-two hexadecimal digits.
  public var identifier: String
  /// The identifier and its encrypted metadata, as service data of Exposure Notification.
  public var serviceData: String
  /// The name to advertise; empty if the user does not show it.
  public var name: String
  /// When the identifier changes.
  public var changesAt: Timestamp
  /// The days whose keys are stored, oldest first.
  public var days: [Timestamp]

  /// Creates an identity.
  public init(
    identifier: String, serviceData: String, name: String = "", changesAt: Timestamp,
    days: [Timestamp]
  ) {
    self.identifier = identifier
    self.serviceData = serviceData
    self.name = name
    self.changesAt = changesAt
    self.days = days
  }
}
