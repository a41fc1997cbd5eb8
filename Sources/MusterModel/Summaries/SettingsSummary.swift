/// The sampling settings in force for a device: command's, or the defaults.
public struct SettingsSummary: Codable, Hashable, Sendable {
  /// While a user looks at the device.
  public var foreground: LocationProfile
  /// While no user looks at the device.
  public var background: LocationProfile
  /// Seconds without a fix after which its user is out of contact.
  public var silenceSeconds: Int64

  /// Creates a summary. The caller gives the settings in force: a user's own before the
  /// operation's.
  public init(foreground: LocationProfile, background: LocationProfile, silenceSeconds: Int64) {
    self.foreground = foreground
    self.background = background
    self.silenceSeconds = silenceSeconds
  }
}
