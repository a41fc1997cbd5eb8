public import MusterModel

/// A device whose data a database archives: its receipts promise what that database holds.
extension Replica {
  /// From now on this device signs receipts only for what `confirmArchived` reports. MUST be called
  /// before the first deadline.
  public mutating func awaitArchive() { core.schedules.awaitArchive() }

  /// Schedules receipts for logs that are archived as far as stated.
  public mutating func confirmArchived(_ states: [LogState], now: ClockReading) {
    core.schedules.confirmArchived(states, now: now.instant)
  }
}
