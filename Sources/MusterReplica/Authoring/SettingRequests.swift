public import MusterModel

/// Requests about command's settings: for all devices, or for one user's, which take precedence.
public enum SettingRequests {
  /// Sets the sampling settings of a user, or with nil of users without their own; command only.
  public static func setLocationProfile(
    _ profile: LocationProfile, of user: UserID?, inForeground: Bool
  ) -> WriteRequest<Void> {
    setting(
      inForeground ? .settingsForeground : .settingsBackground, to: .profile(profile), of: user)
  }

  /// Sets the silence setting; 0 for the default of ten minutes. Command only.
  public static func setSilence(seconds: UInt32, of user: UserID?) -> WriteRequest<Void> {
    setting(.settingsSilenceSeconds, to: .number(seconds), of: user)
  }

  /// Sets by how much the clock of a phone that reports to this device is behind, as command or the
  /// owner of the device states. Only this device knows it.
  ///
  /// - Parameter name: nil for the phone of this device's user.
  public static func setPhoneClock(
    behindSeconds: UInt32, ofTracker name: String?
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command, .member)
      guard behindSeconds <= Limits.spanSeconds else {
        throw Refusal("a clock is behind by \(Limits.spanSeconds / 86_400) days at most")
      }
      var draft = Draft.nothing
      draft.local = [PhoneClockSetting.key(of: name): PhoneClockSetting.bytes(behindSeconds)]
      return draft
    }
  }

  private static func setting(
    _ field: Field, to value: Value, of user: UserID?
  ) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let key = SettingsReader(context: context.read).key(for: user)
      var composer = Composer(try context.settled(key), origin: nil)
      composer.set(field, to: value)
      return Draft(composer, lane: .state)
    }
  }
}

/// The stored form of a statement about the clock of a phone.
enum PhoneClockSetting {
  static func key(of tracker: String?) -> String {
    tracker.map { "phone clock of \($0)" } ?? "phone clock"
  }

  static func bytes(_ seconds: UInt32) -> [UInt8] {
    withUnsafeBytes(of: seconds.bigEndian) { Array($0) }
  }

  static func milliseconds(_ bytes: [UInt8]?) -> Int64 {
    (bytes ?? []).prefix(4).reduce(0) { $0 << 8 | Int64($1) } * 1000
  }
}
