import Foundation
import MusterTestKit

/// A pseudo-terminal that a command prints to.
enum Terminal {
  /// Runs a command on a laptop with its standard output on a terminal of a width.
  ///
  /// - Returns: the lines, without what a terminal adds to them.
  static func lines(
    of words: [String], on laptop: Laptop, columns: UInt16, environment: [String: String] = [:]
  ) throws -> [String] {
    let (master, name) = try pair()
    defer { close(master) }
    let slave = try slave(named: name, rows: 40, columns: columns)
    let process = Process()
    process.executableURL = try Program.located()
    process.arguments = words + ["--home", laptop.home.path]
    process.environment = Child.surroundings(home: laptop.folder.path)
      .merging(["MUSTER_STATE": laptop.state.path, "TERM": "xterm"]) { $1 }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardError = FileHandle.nullDevice
    try process.run()
    close(slave)
    let output = text(from: master)
    process.waitUntilExit()
    return output.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
  }

  /// Opens the side of the program.
  fileprivate static func slave(
    named name: String, rows: UInt16, columns: UInt16
  ) throws -> Int32 {
    let slave = open(name, O_RDWR | O_NOCTTY)
    guard slave >= 0 else { throw Failed("no pseudo-terminal") }
    try resize(slave, rows: rows, columns: columns)
    return slave
  }

  fileprivate static func resize(_ terminal: Int32, rows: UInt16, columns: UInt16) throws {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0 else { throw Failed("no terminal size") }
  }

  /// The descriptor of a new pseudo-terminal, and the path of its other side.
  fileprivate static func pair() throws -> (master: Int32, name: String) {
    #if os(Linux)
      // Swift does not import posix_openpt(3) here: the same by the driver's own calls.
      let (unlock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (locked, index): (Int32, Int32) = (0, 0)
      guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, number, &index) == 0
      else { throw Failed("no pseudo-terminal") }
      return (master, "/dev/pts/\(index)")
    #else
      let master = posix_openpt(O_RDWR | O_NOCTTY)
      guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master)
      else { throw Failed("no pseudo-terminal") }
      return (master, String(cString: name))
    #endif
  }

  /// Reads until the other side is closed, which a pseudo-terminal reports as an error.
  private static func text(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}

/// A command that runs on a pseudo-terminal while the test types and reads.
final class TerminalSession {
  private let process = Process()
  private let (master, slave): (Int32, Int32)
  private let before: termios
  private var bytes: [UInt8] = []

  init(of words: [String], on laptop: Laptop, rows: UInt16, columns: UInt16) throws {
    let (master, name) = try Terminal.pair()
    self.master = master
    slave = try Terminal.slave(named: name, rows: rows, columns: columns)
    before = try Self.settings(of: slave)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    process.executableURL = try Program.located()
    process.arguments = words + ["--home", laptop.home.path]
    process.environment = Child.surroundings(home: laptop.folder.path)
      .merging(["MUSTER_STATE": laptop.state.path, "TERM": "xterm", "NO_COLOR": "1"]) { $1 }
    process.standardInput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    close(master)
    close(slave)
  }

  /// The lines that it drew last.
  var screen: [String] {
    receive()
    let drawn = String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}[H").last ?? ""
    return drawn.replacing("\u{1B}[K", with: "").split(separator: "\u{1B}[J").first?
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// Everything that it has written.
  var written: String {
    receive()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether lines are edited and echoed as before it started.
  var isRestored: Bool {
    get throws { try Self.settings(of: slave).c_lflag == before.c_lflag }
  }

  func type(_ keys: String) {
    _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
  }

  func resize(rows: UInt16, columns: UInt16) throws {
    try Terminal.resize(master, rows: rows, columns: columns)
    // It is no controlling terminal here, which would send the signal itself.
    kill(process.processIdentifier, SIGWINCH)
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  var isRunning: Bool { process.isRunning }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { return }
      // Carriage returns, of which the terminal adds more, are no part of a line.
      bytes += buffer.prefix(count).filter { $0 != 0x0D }
    }
  }

  private static func settings(of terminal: Int32) throws -> termios {
    var settings = termios()
    guard tcgetattr(terminal, &settings) == 0 else { throw Failed("no terminal settings") }
    return settings
  }
}
