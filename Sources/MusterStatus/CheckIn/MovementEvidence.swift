/// What the newest position of a device shows about its movement.
public struct MovementEvidence: Hashable, Sendable {
  /// The time of the position.
  public let made: Evidence
  /// Seconds without movement before it, as stated by the author; nil if it states none, which
  /// counts as movement.
  public let stillSeconds: UInt32?

  /// Less than this is no stillness: a person who works stands still for a moment.
  public static let leastStatedSeconds: UInt32 = 60

  /// Creates the evidence of one position.
  public init(made: Evidence, stillSeconds: UInt32?) {
    self.made = made
    self.stillSeconds = stillSeconds
  }

  /// Returns the latest time at which a person with these devices may have moved last, by the
  /// observer's boot clock; nil unless one of them states that it does not move.
  ///
  /// The newest positions of all devices decide: one that moves shows that the person moves. What
  /// happened after the newest position is not known. The stillness that it states goes on until a
  /// newer one shows a movement, so a device that was destroyed does not prevent the alarm.
  static func lastMovement(of devices: [MovementEvidence], at clock: StatusClock) -> Int64? {
    guard devices.contains(where: { ($0.stillSeconds ?? 0) >= leastStatedSeconds }) else {
      return nil
    }
    return devices.map {
      $0.made.moment(at: clock).latest - Int64($0.stillSeconds ?? 0) * 1000
    }.max()
  }
}
