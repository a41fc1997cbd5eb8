internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Command's sampling settings: for all devices, or for one user's, which take precedence.
extension Replica {
  /// Returns this device's sampling settings.
  public func locationProfile(inForeground: Bool) throws -> LocationProfile {
    try locationProfile(of: local.author.user, inForeground: inForeground)
  }

  /// Returns a user's sampling settings; with nil, those of users without their own.
  public func locationProfile(of user: UserID?, inForeground: Bool) throws -> LocationProfile {
    let field: Field = inForeground ? .settingsForeground : .settingsBackground
    for row in try settings(for: user) {
      if case .profile(let profile)? = row.shown(field)?.value { return profile }
    }
    return inForeground ? .foreground : .background
  }

  /// Returns a user's silence setting in whole seconds.
  public func silenceSeconds(of user: UserID?) throws -> Int64 {
    try silenceMilliseconds(of: user) / 1000
  }

  func silenceMilliseconds(of user: UserID?) throws(StoreError) -> Int64 {
    for row in try settings(for: user) {
      if case .number(let seconds)? = row.shown(.settingsSilenceSeconds)?.value, seconds > 0 {
        return Int64(seconds) * 1000
      }
    }
    return Limits.usualSilenceMilliseconds
  }

  /// Returns the user's own settings first.
  private func settings(for user: UserID?) throws(StoreError) -> [RowState] {
    var rows: [RowState] = []
    for key in [user.map(settingsKey), settingsKey(for: nil)].compactMap(\.self) {
      if let row = try seen(key) { rows.append(row) }
    }
    return rows
  }

  private func settingsKey(for user: UserID?) -> RowKey {
    RowKey(kind: .settings, id: RowID(raw: user?.raw ?? local.operation.raw))
  }

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
    let key = settingsKey(for: user)
    try settle(key, now: now)
    var composer = Composer(try seen(key) ?? RowState(key: key), origin: nil)
    composer.set(field, to: value)
    return try write(composer.writes, lane: .state, now: now)
  }
}
