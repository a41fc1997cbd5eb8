/// The time that a phone states for a sample, by its own clock.
public enum DeviceTime: Hashable, Sendable {
  /// As stated; the clock may be wrong.
  case stated(Timestamp)
  /// The message states no time: the sample is of the moment in which it was sent.
  case missing
  /// The stated time cannot be read, or the app repeats an earlier sample: its time is unknown.
  case unknown
}

/// How old a sample is when it arrives, as far as its evidence shows. An age is never younger than
/// the evidence. Milliseconds are 0 or more.
public enum SampleAge: Hashable, Sendable {
  /// The age is known: this device measured it, or an exchange in both directions proves it.
  case exactly(milliseconds: Int64)
  /// At least so many milliseconds, and at most `doubtMilliseconds` more: the phone's clock has
  /// shown itself steady (`PhoneClock`).
  case about(milliseconds: Int64)
  /// At least so many milliseconds: nothing shows that it is not older.
  case atLeast(milliseconds: Int64)
  /// Nothing shows when the sample was made.
  case unknown

  /// Reads what `code` and `leastMilliseconds` state. Unknown codes are of unknown time.
  public init(code: UInt32, milliseconds: Int64) {
    self =
      switch code {
      case 0: .exactly(milliseconds: milliseconds)
      case 1: .about(milliseconds: milliseconds)
      case 2: .atLeast(milliseconds: milliseconds)
      default: .unknown
      }
  }

  /// On the wire and in stored forms: 0 exactly, 1 about, 2 at least, 3 unknown.
  public var code: UInt32 {
    switch self {
    case .exactly: 0
    case .about: 1
    case .atLeast: 2
    case .unknown: 3
    }
  }

  /// The lower bound in milliseconds; nil if it is unknown.
  public var leastMilliseconds: Int64? {
    switch self {
    case .exactly(let milliseconds), .about(let milliseconds), .atLeast(let milliseconds):
      milliseconds
    case .unknown: nil
    }
  }

  /// How much more than the lower bound the age may be, in milliseconds; nil without a bound.
  public var doubtMilliseconds: Int64? {
    switch self {
    case .exactly: 0
    case .about: Self.steadyDoubtMilliseconds
    case .atLeast, .unknown: nil
    }
  }

  /// The doubt about the age of a sample whose delay is that of an undelayed one.
  public static let steadyDoubtMilliseconds: Int64 = 5000
}

/// How old the fix of a position record is when the record is made: a record is a contact, which
/// may publish again an earlier fix (decision 0095).
public struct FixAge: Hashable, Sendable {
  /// The age when the device that publishes the fix received it.
  public let atReceipt: SampleAge
  /// The milliseconds from then to the record, 0 or more.
  public let heldMilliseconds: Int64

  /// A fix of the moment in which its record is made.
  public static let none = FixAge(.exactly(milliseconds: 0))
  /// A fix that is older than this at its receipt shows nothing about the present: half of the
  /// usual silence setting, so that fixes count which a gap in coverage delays by a few minutes.
  public static let oldMilliseconds: Int64 = 300_000
  /// The greatest known age; a longer one counts as unknown: 8,900 years.
  public static let longest: Int64 = 1 << 48

  /// Creates an age. Negative times count as 0, and longer ones than `longest` as unknown.
  public init(_ atReceipt: SampleAge, heldMilliseconds: Int64 = 0) {
    self.heldMilliseconds = min(max(heldMilliseconds, 0), Self.longest)
    self.atReceipt =
      if let age = atReceipt.leastMilliseconds, age <= Self.longest {
        SampleAge(code: atReceipt.code, milliseconds: max(age, 0))
      } else {
        .unknown
      }
  }

  /// Whether the fix was old, or of unknown time, when it was received: it raises no ENTER or EXIT
  /// and ends no danger.
  public var wasOld: Bool {
    atReceipt.leastMilliseconds.map { $0 > Self.oldMilliseconds } ?? true
  }

  /// Whether the time of the fix is not known at all.
  public var isUnknown: Bool { atReceipt == .unknown }

  /// The lower bound of the age at the record, in milliseconds: of an unknown one, the time since
  /// its receipt.
  public var leastMilliseconds: Int64 {
    (atReceipt.leastMilliseconds ?? 0) + heldMilliseconds
  }

  /// Returns the same fix in a later record.
  ///
  /// - Parameter milliseconds: since this record.
  public func held(longerBy milliseconds: Int64) -> FixAge {
    FixAge(
      atReceipt,
      heldMilliseconds: heldMilliseconds + min(max(milliseconds, 0), Self.longest))
  }
}
