internal import ArgumentParser
internal import Foundation
internal import MusterArchive
internal import MusterModel
internal import MusterNode

/// The database of an archive.
struct DatabaseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The database. (default: $MUSTER_ARCHIVE) Keep the password in ~/.pgpass.",
      valueName: "url"))
  var database: String?

  func open() throws -> Archive { try Archive(at: try url()) }

  func url() throws -> String {
    let environment = ProcessInfo.processInfo.environment["MUSTER_ARCHIVE"] ?? ""
    guard let url = database ?? (environment.isEmpty ? nil : environment) else {
      throw ArchiveFault("give --database postgres://USER@HOST/DATABASE, or set MUSTER_ARCHIVE")
    }
    return url
  }
}

/// The device whose keys and node are used.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the node. (default: $MUSTER_HOME, else ~/.local/share/muster)",
      valueName: "dir"))
  var home: String?

  @Option(
    help: ArgumentHelp(
      "The folder of its keys. (default: $MUSTER_KEYS, else keys in the home)",
      valueName: "dir"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "Read the passphrase of the keys. (default: $MUSTER_PASSPHRASE)", valueName: "file"))
  var passphraseFile: String?

  var folders: NodeHome {
    NodeHome.locate(home: home, keys: keys, environment: ProcessInfo.processInfo.environment)
  }

  /// Returns the passphrase that was given; nil for none.
  func passphrase() throws -> [UInt8]? { try Passphrase.read(passphraseFile) }
}

/// The passphrase of key files.
enum Passphrase {
  /// Returns the passphrase in a file, else that of the environment; nil for none.
  static func read(_ file: String?) throws -> [UInt8]? {
    guard let path = file else {
      let value = ProcessInfo.processInfo.environment["MUSTER_PASSPHRASE"] ?? ""
      return value.isEmpty ? nil : Array(value.utf8)
    }
    guard let file = FileHandle(forReadingAtPath: path),
      var contents = try file.read(upToCount: 2052).map({ try MarkedText.unmarked(Array($0)) })
    else { throw ArchiveFault("cannot read \(path): check --passphrase-file") }
    while let last = contents.last, last == 0x0A || last == 0x0D { contents.removeLast() }
    return contents
  }
}

/// Randomness for one use.
enum Seed {
  /// Returns 32 bytes from the operating system.
  static func drawn() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}

/// The two standard streams.
enum Standard {
  static func print(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Writes one line to standard error.
  static func complain(_ text: String) {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    FileHandle.standardError.write(Data("muster-archive: \(line)\n".utf8))
  }
}
