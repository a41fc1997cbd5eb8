internal import Foundation
internal import MusterModel

/// The passphrase that encrypts the key files. Never printed.
struct Passphrase: Equatable, Sendable, Redacted {
  let bytes: [UInt8]

  static let mostBytes = 1024
  /// Of a file, which may be in UTF-16.
  static let mostFileBytes = 2 * mostBytes + 8

  init(_ bytes: [UInt8]) throws(Refusal) {
    guard !bytes.isEmpty else {
      throw Refusal("the passphrase is empty: give one of 1 to \(Self.mostBytes) bytes")
    }
    guard bytes.count <= Self.mostBytes else {
      throw Refusal("the passphrase is longer than \(Self.mostBytes) bytes: give a shorter one")
    }
    self.bytes = bytes
  }

  /// Creates it from a text whose last line may have ends.
  init(withoutLineEnd text: [UInt8]) throws(Refusal) {
    var bytes = text
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    try self.init(bytes)
  }

  /// Asks on the terminal without echo; nil if there is no terminal.
  static func ask(_ question: String) throws(Refusal) -> Passphrase? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var saved = termios()
    guard tcgetattr(terminal, &saved) == 0 else { return nil }
    // Keys arrive one by one and Ctrl-C as a byte, so that echo is restored on every path.
    var silent = saved
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else { return nil }
    defer { tcsetattr(terminal, TCSAFLUSH, &saved) }
    show(question, on: terminal)
    defer { show("\n", on: terminal) }
    return try Passphrase(typed(on: terminal))
  }

  private static func typed(on terminal: Int32) throws(Refusal) -> [UInt8] {
    var line: [UInt8] = []
    while true {
      var key: UInt8 = 0
      let count = read(terminal, &key, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else {
        throw Refusal("the terminal was closed: nothing was sent or changed")
      }
      switch key {
      case 0x0A, 0x0D, 0x04: return line
      case 0x03: throw Refusal("cancelled: nothing was sent or changed")
      case 0x15: line = []
      case 0x08, 0x7F:
        // One character, which may be several bytes of UTF-8.
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
      default:
        if line.count <= mostBytes { line.append(key) }
      }
    }
  }

  private static func show(_ text: String, on terminal: Int32) {
    var text = text
    text.withUTF8 { bytes in _ = write(terminal, bytes.baseAddress, bytes.count) }
  }
}
