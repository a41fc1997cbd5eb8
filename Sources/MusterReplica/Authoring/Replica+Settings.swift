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

  /// Adds, edits or removes an emergency contact of the operation; command only.
  public mutating func writeContact(
    _ change: ContactWrite, now: ClockReading
  ) throws -> (id: ContactID, outcome: Outcome) {
    try require(.command)
    let state = try settledSettings(of: nil, now: now)
    let (id, writes) = try ContactEditor(state).writes(
      for: change, new: ContactID(raw: own.newOrigin(now: now).nonce))
    return (id, try write(writes, lane: .state, now: now))
  }

  private mutating func writeSetting(
    _ field: Field, _ value: Value, of user: UserID?, now: ClockReading
  ) throws -> Outcome {
    try require(.command)
    var composer = Composer(try settledSettings(of: user, now: now), origin: nil)
    composer.set(field, to: value)
    return try write(composer.writes, lane: .state, now: now)
  }

  private mutating func settledSettings(of user: UserID?, now: ClockReading) throws -> RowState {
    let key = SettingsReader(context: context).key(for: user)
    try settle(key, now: now)
    return try context.row(key) ?? RowState(key: key)
  }
}
