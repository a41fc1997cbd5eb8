public import MusterModel

/// A photo in an export, which is a file of its own.
public struct ExportedPhoto: Hashable, Sendable {
  /// The report that it belongs to.
  public let report: RowID
  /// The photo.
  public let id: PhotoID
  /// The name of its file, which is safe on every system, whatever the title of the report is.
  public let fileName: String

  /// - Parameter number: from 1, in the list of the report.
  public init(_ photo: PhotoSummary, number: Int, of report: ReportSummary) {
    self.report = report.id
    id = photo.id
    let title = Self.slug(report.title)
    fileName = (title.isEmpty ? "" : title + "-") + "\(report.id.short)-\(number).jpg"
  }

  /// At most 40 letters and digits of ASCII in lower case, with single dashes for all others.
  private static func slug(_ title: String) -> String {
    var slug = ""
    for byte in title.lowercased().utf8 where slug.utf8.count < 40 {
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isPlain {
        slug.unicodeScalars.append(Unicode.Scalar(byte))
      } else if !slug.isEmpty, !slug.hasSuffix("-") {
        slug += "-"
      }
    }
    return slug.hasSuffix("-") ? String(slug.dropLast()) : slug
  }
}
