/// Every limit of the control channel, with its reason.
public enum ControlLimits {
  /// The largest command is a photo: 8 MiB and its thumbnail, a third longer in Base64.
  public static let requestBytes = 12 * 1024 * 1024
  /// A list of 200,000 reports with short texts.
  static let responseBytes = 128 * 1024 * 1024
  /// The text in which a node explains a rejected command.
  static let problemBytes = 64 * 1024
}
