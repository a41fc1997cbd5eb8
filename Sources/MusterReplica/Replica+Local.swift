public import MusterCrypto
public import MusterModel
internal import MusterSync

/// What the user or the node changes for this device alone: nothing of it is replicated.
extension Replica {
  /// Adds addresses to try, given by the user or remembered.
  public mutating func contact(_ endpoints: [Endpoint], now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.core.run(.contacts(endpoints), now: now) }
  }

  /// Sets the rate limit of each link; nil, the default, for none.
  public mutating func limitLinks(to rate: LinkRate?, now: ClockReading) throws -> Outcome {
    core.recovery.linkRate = rate
    return try transact(now: now) { try $0.core.run(.linkRate(rate), now: now) }
  }

  /// Sets or replaces the two PINs of this device, or removes them if there are no new ones.
  ///
  /// - Parameters:
  ///   - current: one of the PINs that are set. With either, the result is the same.
  ///   - cost: of each guess.
  public mutating func setCheckInPins(
    _ pins: (usual: String, duress: String)?, current: String?,
    cost: PasswordCost = .interactive, now: ClockReading
  ) throws -> Outcome {
    try core.context.require(.command, .member, .observer)
    let new = try CheckInPins.replacing(
      current, by: pins, salt: core.own.drawSalt(now: now), cost: cost, in: core.store)
    return try transact(now: now) { new.store(in: &$0.core.transaction.batch) }
  }
}
