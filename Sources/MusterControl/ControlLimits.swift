/// Every bound of what the command line and a node say to each other, with its reason.
public enum ControlLimits {
  /// The largest command is a fence's outline: 7,000 vertices of eight bytes.
  public static let requestBytes = 1024 * 1024
  /// A list of 100,000 reports with some words each.
  static let responseBytes = 64 * 1024 * 1024
  /// Of the words in which a node says why it did not take a command.
  static let problemBytes = 64 * 1024
}
