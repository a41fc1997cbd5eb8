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
