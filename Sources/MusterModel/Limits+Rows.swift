/// What an author leaves in a row (decision 0108).
extension Limits {
  /// Elements of a set that a row keeps of one strand of an author below command: confirmations,
  /// photos, replies, acknowledgements. An earlier one is superseded for good.
  public static let elementsOfStrand = 64
  /// Likewise, comments on a report.
  public static let commentsOfStrand = 128
  /// Comments on a report that are shown of one author below command; a device refuses to add more.
  public static let commentsOfAuthor = 64
  /// Values of a conflict that are shown.
  public static let conflictingValues = 32
  /// Likewise, marks on the photos of a report.
  public static let photoMarksOfStrand = 256
  /// Likewise, replies to an order for the carriers of trackers.
  public static let trackerRepliesOfStrand = 512
}
