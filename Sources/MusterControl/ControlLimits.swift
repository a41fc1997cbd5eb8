/// Every limit of the control channel, with its reason.
public enum ControlLimits {
  /// The largest command is a piece of a bundle: half a MiB, a third longer in Base64.
  public static let requestBytes = 1024 * 1024
  /// A list of 200,000 reports with short texts.
  static let responseBytes = 128 * 1024 * 1024
  /// The text in which a node explains a rejected command.
  static let problemBytes = 64 * 1024
}
