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
    let slave = open(name, O_RDWR | O_NOCTTY)
    guard slave >= 0 else { throw Failed("no pseudo-terminal") }
    var size = winsize(ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else { throw Failed("no terminal size") }
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

  /// The descriptor of a new pseudo-terminal, and the path of its other side.
  private static func pair() throws -> (master: Int32, name: String) {
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
