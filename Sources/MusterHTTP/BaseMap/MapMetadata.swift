internal import MusterInterchange

/// Checks of the metadata of a map file, which is not trusted.
enum MapMetadata {
  /// The most characters of a text.
  static let textCharacters = 1000
  private static let mostLayers = 50
  private static let nameCharacters = 100

  /// Cuts a text. Counts code points, since one character may have any number of them.
  static func shortened(_ text: String, to count: Int = textCharacters) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
  }

  /// Returns west, south, east, north; nil unless they enclose an area.
  static func bounds(_ numbers: [Double]) -> [Double]? {
    guard numbers.count == 4, (-180...180).contains(numbers[0]),
      (-180...180).contains(numbers[2]), (-90...90).contains(numbers[1]),
      (-90...90).contains(numbers[3]), numbers[0] < numbers[2], numbers[1] < numbers[3]
    else { return nil }
    return numbers
  }

  /// Returns the ids of `vector_layers`. Files that were converted from MBTiles have them in a text
  /// named `json`.
  static func layers(in metadata: JSON) -> [String] {
    if let text = metadata.members?["json"]?.word { return layers(inText: text) }
    let layers = metadata.members?["vector_layers"]?.elements ?? []
    return layers.prefix(mostLayers).compactMap { layer in
      layer.members?["id"]?.word.map { shortened($0, to: nameCharacters) }
    }
  }

  /// Returns the ids of `vector_layers` in a text; malformed text counts as missing.
  static func layers(inText text: String) -> [String] {
    do {
      let metadata = try JSON.read(Array(text.utf8)).members ?? [:]
      return layers(in: .object(metadata.filter { $0.key == "vector_layers" }))
    } catch {
      return []
    }
  }
}
