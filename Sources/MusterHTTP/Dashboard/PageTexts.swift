internal import Foundation

/// The texts of a page that is sent before a login, and so loads no script for them.
///
///     NAME.html            the page, with a placeholder `{{key}}` for each text
///     texts/NAME.json      by language, the text of each key
///
/// The texts are HTML of ours: nothing that a user wrote may be among them.
struct PageTexts {
  /// The language of browsers whose own is missing.
  private static let usual = "en"

  private let texts: [String: [String: String]]

  /// Throws `DecodingError` for a file that is not of this form.
  init(json: Data) throws {
    texts = try JSONDecoder().decode([String: [String: String]].self, from: json)
  }

  /// The languages, in alphabetical order.
  var languages: [String] { texts.keys.sorted() }

  /// Returns the page in a language.
  func page(_ template: String, in language: String) -> String {
    let own = (texts[language] ?? [:]).merging(["language": language]) { $1 }
    return own.reduce(template) { $0.replacing("{{\($1.key)}}", with: $1.value) }
  }

  /// Returns the name of the file of a page in a language.
  static func file(_ name: String, in language: String) -> String {
    language == usual ? "\(name).html" : "\(name).\(language).html"
  }
}
