public import MusterModel

extension Replica {
  /// Reports what a database has archived. From the first call on, which MUST precede the first
  /// deadline, this device's receipts state that.
  public mutating func confirmArchived(_ states: [LogState], now: ClockReading) {
    core.schedules.confirmArchived(states, now: now.instant)
  }
}
