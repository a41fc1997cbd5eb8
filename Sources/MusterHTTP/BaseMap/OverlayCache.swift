internal import NIOCore

/// The GeoJSON of overlays, so that a request for one does not parse its file again. The least
/// recently requested ones give way.
struct OverlayCache {
  /// More than the longest answer: 200,000 points with a name each, from a file of 16 MiB.
  private static let mostBytes = 64 << 20

  private struct Entry {
    let file: MapFolder.File
    let text: ByteBuffer
  }

  private let mostBytes: Int
  /// The most recently requested last.
  private var entries: [Entry] = []

  init(mostBytes: Int = mostBytes) { self.mostBytes = mostBytes }

  /// Returns what was stored for a file that did not change since.
  mutating func text(of file: MapFolder.File) -> ByteBuffer? {
    guard let place = entries.firstIndex(where: { $0.file == file }) else { return nil }
    entries.append(entries.remove(at: place))
    return entries.last?.text
  }

  mutating func store(_ text: ByteBuffer, of file: MapFolder.File) {
    entries.removeAll { $0.file.name == file.name }
    entries.append(Entry(file: file, text: text))
    var bytes = entries.reduce(0) { $0 + $1.text.readableBytes }
    while bytes > mostBytes { bytes -= entries.removeFirst().text.readableBytes }
  }
}
