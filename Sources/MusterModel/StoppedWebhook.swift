/// A webhook that delivers nothing, although something waits.
public struct StoppedWebhook: Hashable, Sendable {
  /// The name that the user chose.
  public let name: String
  /// The row of its alert, derived from the name.
  public let row: RowID
  /// Why the last attempt failed, in one line; nil before the first attempt since the start.
  public let trouble: String?

  /// Creates a description. Nothing is validated here.
  public init(name: String, row: RowID, trouble: String?) {
    self.name = name
    self.row = row
    self.trouble = trouble
  }
}
