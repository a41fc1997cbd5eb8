internal import Foundation
internal import MusterModel

/// A device's sentinel in the state folder, and its substitute inside the home for as long as the
/// state folder cannot be written.
///
///     STATE/<device>.sentinel                    the sentinel
///     HOME/run/<device>.<machine>.sentinel       the substitute, removed once STATE is writable
///
/// Without the substitute each start would find no sentinel, take the database for a restored copy,
/// and begin another incarnation. A copy of the home carries the substitute along. It does not
/// match there, since the copy is another file or on another machine. See decision 0030.
struct SentinelFiles {
  private let stateDirectory: String
  private let sentinel: SentinelFile
  private let substitute: SentinelFile
  private var mayHaveSubstitute = false

  /// Why the state folder cannot be written, and what to do, in one line; nil while it can.
  private(set) var problem: String?

  init(_ home: NodeHome, device: DeviceID, machine: String = Machine.fingerprint()) {
    stateDirectory = home.stateDirectory
    sentinel = SentinelFile(directory: home.stateDirectory, device: device)
    substitute = SentinelFile(directory: home.runDirectory, name: "\(device).\(machine).sentinel")
  }

  /// Returns the newest sentinel of both files. A sentinel that cannot be read counts as missing.
  mutating func read() -> Sentinel.Reading {
    let second = Self.reading(of: substitute)
    mayHaveSubstitute = second != .missing
    return Sentinel.newest(Self.reading(of: sentinel), substitute: second)
  }

  private static func reading(of file: SentinelFile) -> Sentinel.Reading {
    do throws(HomeError) {
      return try file.read()
    } catch {
      // The path is not a sentinel file. `write` fails too, and reports it.
      return .missing
    }
  }

  /// Writes the sentinel after a commit, in the home where the state folder cannot be written.
  ///
  /// - Throws: the home's error, when the sentinel could be written in neither place.
  mutating func write(_ value: Sentinel) throws(HomeError) {
    do throws(HomeError) {
      try sentinel.write(value)
      problem = nil
    } catch {
      problem = Self.words(for: error, directory: stateDirectory)
      mayHaveSubstitute = true
      return try substitute.write(value)
    }
    // Only now: until the sentinel is written, the substitute is the newest record.
    guard mayHaveSubstitute else { return }
    try substitute.remove()
    mayHaveSubstitute = false
  }

  static func words(for error: HomeError, directory: String) -> String {
    let reason: String
    var advice = "make it a folder that this user can write, or set MUSTER_STATE to one"
    switch error {
    case .notAFolder(let path): reason = "\(path) is not a folder"
    case .notAFile(let path): reason = "\(path) is not a plain file"
    case .exposed(let path, let remedy):
      reason = "other users can write to \(path)"
      advice = "run `\(remedy.rawValue)` on it, or set MUSTER_STATE to another folder"
    case .system(_, let path, let code):
      reason = "\(path): \(String(cString: strerror(code)))"
      if code == ENOSPC || code == EDQUOT { advice = "free some space on its disk" }
    case .foreign, .occupied, .missing, .keyless, .oversized, .inUse, .longSocketPath:
      reason = "\(error)"
    }
    return "cannot write the state folder \(directory) (\(reason)), so a restored backup of this "
      + "home may not be detected: \(advice)"
  }
}

extension Sentinel {
  /// Returns the newer of the sentinel and its substitute. Within one incarnation each counts as
  /// far as it goes; two incarnations of one generation contradict, and the sentinel decides.
  static func newest(_ first: Reading, substitute second: Reading) -> Reading {
    guard case .found(let substitute) = second else { return first }
    guard case .found(var sentinel) = first else { return second }
    if substitute.generation > sentinel.generation { return second }
    if substitute.incarnation == sentinel.incarnation, substitute.database == sentinel.database {
      sentinel.sequences.merge(substitute.sequences, uniquingKeysWith: max)
    }
    return .found(sentinel)
  }
}

/// The computer that this process runs on.
enum Machine {
  /// Returns eight hexadecimal digits that differ between computers: a checksum of
  /// `/etc/machine-id`, or of the host name where there is none.
  static func fingerprint() -> String {
    let name =
      FileManager.default.contents(atPath: "/etc/machine-id").map(Array.init) ?? hostName()
    return Hex.encode(withUnsafeBytes(of: CRC32.checksum(name).bigEndian) { Array($0) })
  }

  /// From the system alone: `ProcessInfo` may ask a name server.
  private static func hostName() -> [UInt8] {
    var name = [UInt8](repeating: 0, count: 256)
    let isKnown = name.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else {
        return false
      }
      return gethostname(start, buffer.count - 1) == 0
    }
    return isKnown ? Array(name.prefix { $0 != 0 }) : []
  }
}
