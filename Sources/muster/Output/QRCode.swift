internal import CQREncode

/// A QR code (ISO/IEC 18004) for a phone's or another laptop's camera.
struct QRCode: Hashable {
  /// Row by row; true is dark.
  let modules: [[Bool]]

  /// Empty modules around it, which readers need (ISO/IEC 18004 §6.3.8).
  static let quietZone = 4

  /// Nil for a text of more than 2,953 bytes, which no QR code holds.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= 2953,
      let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L)
    else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // The lowest bit of a module's byte is set if it is dark.
    modules = (0..<width).map { row in
      (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 }
    }
  }

  /// Characters in a line, with the quiet zone.
  var columns: Int { modules.count + 2 * Self.quietZone }

  /// Two rows of modules a line, in half blocks, black on white whatever the terminal's colours:
  /// 16 and 231 are the fixed black and white of its 256 (ECMA-48 SGR 38 and 48).
  var lines: [String] {
    let height = columns
    return stride(from: 0, to: height, by: 2).map { row in
      let blocks = (0..<columns).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return "\u{1B}[38;5;16;48;5;231m\(blocks.joined())\u{1B}[0m"
    }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    let (row, column) = (row - Self.quietZone, column - Self.quietZone)
    guard modules.indices.contains(row), modules.indices.contains(column) else { return false }
    return modules[row][column]
  }
}
