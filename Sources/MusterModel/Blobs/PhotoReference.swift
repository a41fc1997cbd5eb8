/// How users name a photo of a report: by its number in the list, from 1, or by its id or the first
/// digits of it.
public enum PhotoReference {
  /// Why a reference names no photo, or several.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to write instead.
    public let description: String
  }

  /// Returns the index of the photo that is named.
  ///
  /// - Parameter ids: the photos of the report in their order.
  /// - Throws: `Fault` if there is none, or several.
  public static func index(of reference: String, in ids: [PhotoID]) throws(Fault) -> Int {
    var found: [Int] = []
    // A number is shorter than the beginning of an id: a report has few photos.
    if reference.utf8.count < IdentifierPrefix.leastDigits {
      if let number = Int(reference), ids.indices.contains(number - 1) { found = [number - 1] }
    } else if let prefix = IdentifierPrefix(reference) {
      found = ids.indices.filter { prefix.begins(ids[$0]) }
    }
    if found.count == 1 { return found[0] }
    let shown = reference.prefix(40)
    throw Fault(
      description: ids.isEmpty
        ? "the report has no photos"
        : found.isEmpty
          ? "there is no photo '\(shown)': the report has "
            + (ids.count == 1 ? "one photo" : "\(ids.count) photos")
          : "several photos begin with '\(shown)': give more digits")
  }
}
