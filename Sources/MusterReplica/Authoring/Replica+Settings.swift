internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Command's sampling settings: for all devices, or for one user's, which take precedence.
extension Replica {
  /// Sets the sampling settings of a user, or with nil of users without their own; command only.
  public mutating func setLocationProfile(
    _ profile: LocationProfile, of user: UserID?, inForeground: Bool, now: ClockReading
  ) throws -> Outcome {
    try writeSetting(
      inForeground ? .settingsForeground : .settingsBackground, .profile(profile), of: user,
      now: now)
  }

  /// Sets the silence setting; 0 for the default of ten minutes. Command only.
  public mutating func setSilence(
    seconds: UInt32, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    try writeSetting(.settingsSilenceSeconds, .number(seconds), of: user, now: now)
  }

  private mutating func writeSetting(
    _ field: Field, _ value: Value, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    let key = SettingsReader(context: context).key(for: user)
    try settle(key, now: now)
    var composer = Composer(try context.row(key) ?? RowState(key: key), origin: nil)
    composer.set(field, to: value)
    return try write(composer.writes, lane: .state, now: now)
  }
}
