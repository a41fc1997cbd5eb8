/// What command wants of a laptop, where it has said nothing the usual.
public struct SettingsSummary: Codable, Hashable, Sendable {
  /// While somebody looks at it.
  public var foreground: LocationProfile
  /// While nobody does.
  public var background: LocationProfile
  /// After how long without a fix nothing is known of its user.
  public var silenceSeconds: Int64

  /// The caller gives what counts: a user's own before everybody's.
  public init(foreground: LocationProfile, background: LocationProfile, silenceSeconds: Int64) {
    self.foreground = foreground
    self.background = background
    self.silenceSeconds = silenceSeconds
  }
}
