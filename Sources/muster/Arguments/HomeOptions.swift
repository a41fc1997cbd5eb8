internal import ArgumentParser
internal import Foundation
internal import MusterNode

/// Which node a command is about.
struct HomeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the node keeps its data. (default: $MUSTER_HOME, else ~/.local/share/muster)",
      valueName: "dir"))
  var home: String?

  @Option(
    help: ArgumentHelp(
      "Where the node keeps its keys. (default: $MUSTER_KEYS, else keys/ in the home)",
      valueName: "dir"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "Reads the passphrase of the keys from a file. (default: $MUSTER_PASSPHRASE, else asks)",
      valueName: "file"))
  var passphraseFile: String?

  var folders: NodeHome { NodeHome.locate(home: home, keys: keys, environment: Self.environment) }

  /// The passphrase that keys are locked with. MUST be called only when they are: it may ask.
  func passphrase() throws -> Passphrase {
    if let given = try givenPassphrase() { return given }
    guard let typed = try Passphrase.ask("Passphrase of the keys: ") else {
      throw Refusal(
        "the keys in \(folders.keysDirectory) are locked with a passphrase:"
          + " give --passphrase-file or MUSTER_PASSPHRASE")
    }
    return typed
  }

  /// The passphrase to lock new keys with; nil leaves them unlocked.
  func newPassphrase(asking: Bool) throws -> Passphrase? {
    if let given = try givenPassphrase() { return given }
    guard asking else { return nil }
    guard let typed = try Passphrase.ask("New passphrase: "),
      let again = try Passphrase.ask("The same again: ")
    else {
      throw Refusal(
        "there is no terminal to ask for a passphrase on: give --passphrase-file"
          + " or MUSTER_PASSPHRASE")
    }
    guard typed == again else { throw Refusal("the two passphrases differ") }
    return typed
  }

  private func givenPassphrase() throws -> Passphrase? {
    if let passphraseFile {
      var contents = try InputFile.bytes(of: passphraseFile, limit: Passphrase.mostBytes + 2)
      while let last = contents.last, last == 0x0A || last == 0x0D { contents.removeLast() }
      return try Passphrase(contents)
    }
    guard let value = Self.environment["MUSTER_PASSPHRASE"], !value.isEmpty else { return nil }
    return try Passphrase(Array(value.utf8))
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

/// How an answer is shown.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Prints JSON for programs instead of words for people.")
  var json = false
}
