internal import ArgumentParser
internal import Foundation
internal import MusterNode

/// The node that a command is for.
struct HomeOptions: ParsableArguments {
  @OptionGroup(title: "Node") var folder: FolderOptions

  @Option(
    help: ArgumentHelp(
      "Passphrase of the keys. (default: $MUSTER_PASSPHRASE)",
      valueName: "file"), completion: .file())
  var passphraseFile: String?

  var folders: NodeHome {
    NodeHome.locate(home: folder.data, keys: folder.keys, environment: Self.environment)
  }

  /// Returns the passphrase of encrypted keys. It may ask, so call it only for encrypted keys.
  func passphrase() throws -> Passphrase {
    if let given = try givenPassphrase() { return given }
    guard let typed = try Passphrase.ask("Passphrase of the keys: ") else {
      throw Refusal(
        "the keys in \(folders.keysDirectory) are encrypted:"
          + " give --passphrase-file or MUSTER_PASSPHRASE")
    }
    return typed
  }

  /// Returns the passphrase to encrypt new keys with; nil leaves them unencrypted.
  func newPassphrase(asking: Bool) throws -> Passphrase? {
    if let given = try givenPassphrase() { return given }
    guard asking else { return nil }
    guard let typed = try Passphrase.ask("New passphrase: "),
      let again = try Passphrase.ask("Repeat the passphrase: ")
    else {
      throw Refusal(
        "there is no terminal to ask for a passphrase on: give --passphrase-file"
          + " or MUSTER_PASSPHRASE")
    }
    guard typed == again else {
      throw Refusal("the two passphrases differ: nothing was changed. Run the command again")
    }
    return typed
  }

  private func givenPassphrase() throws -> Passphrase? {
    if let passphraseFile {
      return try Passphrase(
        withoutLineEnd: InputFile.textBytes(of: passphraseFile, limit: Passphrase.mostFileBytes))
    }
    guard let value = Self.environment["MUSTER_PASSPHRASE"], !value.isEmpty else { return nil }
    return try Passphrase(withoutLineEnd: Array(value.utf8))
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}

/// The folders of a node: enough where `--passphrase-file` has another meaning.
struct FolderOptions: ParsableArguments {
  @Option(
    name: .customLong("home"),
    help: ArgumentHelp(
      "The node's folder. (default: $MUSTER_HOME)",
      valueName: "dir"), completion: .directory)
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Its keys. (default: $MUSTER_KEYS, else keys in it)",
      valueName: "dir"), completion: .directory)
  var keys: String?

  /// The flags that name the same node in the next command, each after a space; empty by default.
  var flags: String {
    [("--home", data), ("--keys", keys)].map { name, path in
      path.map { " \(name) \(Self.quoted($0))" } ?? ""
    }.joined()
  }

  /// Quotes a path as one word of a shell command.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "/._-+@~".contains($0) }
    return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
  }

  /// The same node; its passphrase comes from the environment or the terminal.
  var home: HomeOptions {
    var home = HomeOptions()
    (home.folder, home.passphraseFile) = (self, nil)
    return home
  }
}

/// The format of the output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON for programs.")
  var json = false
}
