public import MusterModel
internal import MusterReplica

/// Timers as the user enters them: people by callsign or id, and everyone who is in the team or has
/// the role now. With neither, the timer is for the node's own user.
public struct CheckInOrder: Codable, Hashable, Sendable, Redacted {
  /// By callsign or id.
  public var people: [String]
  /// Empty for no team.
  public var team: String
  /// Nil for no role.
  public var role: Role?
  /// The timer of each of them.
  public var timer: CheckInDraft
  /// One of the two PINs of the node, if they are set.
  public var pin: String?
  /// Whether a login reports for its own person only, who has a PIN only as the node's own user.
  public var isOfLogin: Bool

  /// Creates an order. Nothing is validated here: the node rejects values out of range.
  public init(
    people: [String] = [], team: String = "", role: Role? = nil, timer: CheckInDraft,
    pin: String? = nil, isOfLogin: Bool = false
  ) {
    self.pin = pin
    self.isOfLogin = isOfLogin
    self.people = people
    self.team = team
    self.role = role
    self.timer = timer
  }
}

/// A report on timers as the user enters it.
public struct CheckInEntry: Codable, Hashable, Sendable, Redacted {
  /// What is reported.
  public var kind: CheckInReportKind
  /// The person, by callsign or id; nil for the node's own user.
  public var user: String?
  /// One timer; nil for all of the person that run.
  public var timer: String?
  /// By how much an extension postpones the due time.
  public var seconds: UInt32
  /// A reason or a remark.
  public var note: String
  /// One of the two PINs of the node, if they are set.
  public var pin: String?
  /// Whether a login reports for its own person only, who has a PIN only as the node's own user.
  public var isOfLogin: Bool

  /// Creates a report. Nothing is validated here: the node rejects values out of range.
  public init(
    kind: CheckInReportKind, user: String? = nil, timer: String? = nil, seconds: UInt32 = 0,
    note: String = "", pin: String? = nil, isOfLogin: Bool = false
  ) {
    self.pin = pin
    self.isOfLogin = isOfLogin
    self.kind = kind
    self.user = user
    self.timer = timer
    self.seconds = seconds
    self.note = note
  }
}

/// New PINs for check-ins, as the user enters them.
public struct CheckInPinChange: Codable, Hashable, Sendable {
  /// One of the PINs that are set; nil if none are.
  public var current: String?
  /// The PIN for every day; nil removes both PINs.
  public var usual: String?
  /// The PIN that calls command for help.
  public var duress: String?

  /// Creates a change. Nothing is validated here: the node rejects unfit PINs.
  public init(current: String?, usual: String?, duress: String?) {
    self.current = current
    self.usual = usual
    self.duress = duress
  }

  /// Both new PINs; nil if they are to be removed.
  var pins: (usual: String, duress: String)? {
    usual.map { ($0, duress ?? "") }
  }
}

extension Command {
  /// The row write of a command about check-ins; nil for any other command.
  var checkInWrite: RowWrite? {
    switch self {
    case .startCheckIn(let order):
      { replica, now in
        var people = try order.people.map { try replica.statuses(now: now).user(named: $0) }
        if !order.team.isEmpty || order.role != nil {
          people += try replica.statuses(now: now).members(ofTeam: order.team, role: order.role)
        }
        let (ids, outcome) = try replica.write(
          CheckInRequests.start(
            order.timer, of: people, pin: order.pin, isOfLogin: order.isOfLogin), now: now)
        return (.createdAll(ids), outcome)
      }
    case .reportCheckIn(let entry):
      { replica, now in
        let user = try entry.user.map { try replica.statuses(now: now).user(named: $0) }
        let outcome = try replica.write(
          CheckInRequests.report(
            entry.kind, of: user, timer: entry.timer, seconds: entry.seconds, note: entry.note,
            pin: entry.pin, isOfLogin: entry.isOfLogin), now: now)
        return (.done, outcome)
      }
    default: nil
    }
  }
}
