/// Every bound of what the command line and a node say to each other, with its reason.
public enum ControlLimits {
  /// The largest command is a piece of a bundle: half a MiB, a third longer in Base64.
  public static let requestBytes = 1024 * 1024
  /// A list of 200,000 reports with some words each.
  static let responseBytes = 128 * 1024 * 1024
  /// Of the words in which a node says why it did not take a command.
  static let problemBytes = 64 * 1024
}
