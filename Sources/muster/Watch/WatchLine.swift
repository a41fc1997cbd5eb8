internal import MusterModel

/// One line of the live screen: pieces of text, each with its emphasis, cut to the screen's width.
struct WatchLine: Hashable {
  private var pieces: [Piece] = []
  /// Whether it belongs to the line above.
  var isDetail = false

  private struct Piece: Hashable {
    let text: String
    let paint: Paint
  }

  init(_ text: String = "", _ paint: Paint = .plain) { add(text, paint) }

  mutating func add(_ text: String, _ paint: Paint = .plain) {
    let safe = SafeText.line(text)
    if !safe.isEmpty { pieces.append(Piece(text: safe, paint: paint)) }
  }

  /// A column: cut or filled up to its width, and a space.
  mutating func add(_ text: String, width: Int, _ paint: Paint = .plain) {
    let cut = DisplayWidth.cut(SafeText.line(text), to: width)
    add(cut, paint)
    add(String(repeating: " ", count: width - DisplayWidth.of(cut) + 1))
  }

  /// The text that fits, with an ellipsis if it was cut.
  ///
  /// - Parameter columns: nil for the whole text.
  func text(columns: Int?, on screen: Screen) -> String {
    var (line, room) = ("", columns ?? .max)
    for piece in pieces {
      guard room > 0 else { break }
      let cut = DisplayWidth.cut(piece.text, to: room)
      room -= DisplayWidth.of(cut)
      line += piece.paint.apply(cut, on: screen)
      if cut != piece.text { break }
    }
    return line
  }
}
