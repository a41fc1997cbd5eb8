internal import Foundation
internal import MusterModel

/// The records of a CSV file (RFC 4180), as spreadsheets and people write them: the separator may
/// be a comma, a semicolon or a tab, lines may end in any way, and quotes may be missing.
struct DelimitedText {
  /// Records that are not blank.
  private(set) var records: [Record] = []

  /// A record.
  struct Record {
    /// The line in which it begins, from 1.
    let line: Int
    /// Without blanks around them.
    let fields: [String]
  }

  init(_ text: String) {
    var scalars = Array(TextRule.withLineFeeds(text).unicodeScalars)[...]
    var line = 1
    var separator = Self.separator(of: scalars)
    // Excel names the separator in a line of its own.
    let first = String(String.UnicodeScalarView(scalars.prefix { !Self.isBreak($0) }))
    if first.lowercased().hasPrefix("sep="), first.unicodeScalars.count == 5 {
      separator = first.unicodeScalars.last ?? separator
      scalars = scalars.dropFirst(6)
      line = 2
    }
    while !scalars.isEmpty {
      let begun = line
      let fields = Self.record(&scalars, separator: separator, line: &line)
      if fields.contains(where: { !$0.isEmpty }) {
        records.append(Record(line: begun, fields: fields))
      }
    }
  }

  /// Removes and returns the fields of the first record.
  ///
  /// - Parameter isPlain: whether quotes are text: the last one has no end.
  private static func record(
    _ scalars: inout ArraySlice<Unicode.Scalar>, separator: Unicode.Scalar, line: inout Int,
    isPlain: Bool = false
  ) -> [String] {
    let start = (scalars, line)
    var (fields, field, isQuoted) = ([String](), String.UnicodeScalarView(), false)
    // Whether the field has nothing but blanks, so that a quote opens it.
    var isBlank = true
    func trimmed() -> String { String(field).trimmingCharacters(in: .whitespaces) }
    while let next = scalars.popFirst() {
      if isBreak(next) { line += 1 }
      if isQuoted {
        if next != "\"" {
          field.append(next)
        } else if scalars.first == "\"" {
          field.append(next)
          scalars.removeFirst()
        } else {
          isQuoted = false
        }
      } else if next == "\"", isBlank, !isPlain {
        (field, isQuoted, isBlank) = (String.UnicodeScalarView(), true, false)
      } else if next == separator {
        fields.append(trimmed())
        (field, isBlank) = (String.UnicodeScalarView(), true)
      } else if isBreak(next) {
        break
      } else {
        field.append(next)
        isBlank = isBlank && next.properties.isWhitespace
      }
    }
    guard !isQuoted else {
      (scalars, line) = start
      return record(&scalars, separator: separator, line: &line, isPlain: true)
    }
    return fields + [trimmed()]
  }

  /// Returns the separator that occurs most in the first line, outside quotes.
  private static func separator(of scalars: ArraySlice<Unicode.Scalar>) -> Unicode.Scalar {
    var (counts, isQuoted) = ([Unicode.Scalar: Int](), false)
    for scalar in scalars {
      if scalar == "\"" { isQuoted.toggle() }
      if isQuoted { continue }
      if isBreak(scalar), !counts.isEmpty { break }
      if [",", ";", "\t"].contains(scalar) { counts[scalar, default: 0] += 1 }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ","
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }
}
