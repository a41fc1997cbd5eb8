internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import MusterControl
internal import MusterModel
internal import MusterNode
internal import Synchronization

/// The names that Tab completes. The running node gives them; without one, or from one that does
/// not answer at once, there are none, and no message.
enum NameCompletion {
  /// A name, and an id that stands for it.
  struct Item: Hashable {
    let name: String
    let id: String
  }

  /// A shell must not wait for a busy node.
  private static let timeout = DispatchTimeInterval.milliseconds(150)

  static func kind(
    _ command: Command, _ items: @escaping @Sendable (Reply) -> [Item]
  ) -> CompletionKind {
    .custom { words, _, typed in
      guard let reply = reply(to: command, words) else { return [] }
      return candidates(items(reply), typed: typed, in: CompletionShell.requesting)
    }
  }

  /// Returns what may complete the typed text: names, and ids of names that several have or for
  /// text that begins an id.
  static func candidates(
    _ items: [Item], typed: String, in shell: CompletionShell?
  ) -> [String] {
    let text = ShellWord(typed).text
    let names = Dictionary(grouping: items) { $0.name.lowercased() }
    var found = items.map { names[$0.name.lowercased()]?.count == 1 ? $0.name : $0.id }
    if !text.isEmpty, text.allSatisfy(\.isHexDigit) { found += items.map(\.id) }
    let folded = text.lowercased()
    let unique = Set(found.map { SafeText.line($0) }).filter { $0.lowercased().hasPrefix(folded) }
    return unique.sorted().map { ShellWord.candidate($0, in: shell) }
  }

  /// The reply of the node that the words of the command line name; nil for none in time.
  private static func reply(to command: Command, _ words: [String]) -> Reply? {
    var folder = FolderOptions()
    (folder.data, folder.keys) = (value(of: "--home", in: words), nil)
    let path = folder.home.folders.socketPath
    let (answer, isAnswered) = (Answer(), DispatchSemaphore(value: 0))
    Task.detached {
      do {
        let client = ControlClient(path: try ControlSocketPath(path))
        let reply = try await client.perform(command)
        answer.reply.withLock { $0 = reply }
      } catch {
        // No node, no names.
      }
      isAnswered.signal()
    }
    _ = isAnswered.wait(timeout: .now() + timeout)
    return answer.reply.withLock { $0 }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    let words = words.map { ShellWord($0).text }
    if let whole = words.last(where: { $0.hasPrefix(option + "=") }) {
      return String(whole.dropFirst(option.count + 1))
    }
    return words.lastIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }

  @Sendable
  fileprivate static func people(in reply: Reply) -> [Item] {
    guard case .users(let users) = reply else { return [] }
    return users.map { Item(name: $0.callsign, id: $0.id.short) }
  }

  @Sendable
  fileprivate static func teams(in reply: Reply) -> [Item] {
    guard case .users(let users) = reply else { return [] }
    return Set(users.map(\.team)).filter { !$0.isEmpty }.map { Item(name: $0, id: $0) }
  }

  private final class Answer: Sendable {
    let reply = Mutex<Reply?>(nil)
  }
}

/// A word of a command line as its shell has it: with quotes and backslashes.
struct ShellWord {
  /// What the shell makes of it; variables are not replaced.
  let text: String

  init(_ word: String) {
    var (text, quote, isEscaped) = ("", Character?.none, false)
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if quote == nil, "\"'".contains(character) {
        quote = character
      } else if character == quote {
        quote = nil
      } else {
        text.append(character)
      }
    }
    if text.hasPrefix("~/") { text = (text as NSString).expandingTildeInPath }
    self.text = text
  }

  /// Returns the text as the completion script of a shell takes it.
  static func candidate(_ text: String, in shell: CompletionShell?) -> String {
    switch shell {
    // `compgen -W` expands its words: a title must not be run.
    case .bash: escaped(text)
    // `_describe` ends a word at a colon.
    case .zsh: text.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    default: text
    }
  }

  /// With a backslash before each character that a shell could read as its own.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      character.isLetter || character.isNumber || "/._-+@%,".contains(character)
        ? "\(character)" : "\\\(character)"
    }.joined()
  }
}

extension CompletionKind {
  static let people = NameCompletion.kind(.users, NameCompletion.people)
  static let teams = NameCompletion.kind(.users, NameCompletion.teams)

  static let zones = NameCompletion.kind(.fences) { reply in
    guard case .fences(let zones) = reply else { return [] }
    return zones.map { .init(name: $0.name, id: $0.id.short) }
  }

  static let reports = NameCompletion.kind(.reports) { reply in
    guard case .reports(let reports) = reply else { return [] }
    return reports.map { .init(name: $0.title, id: $0.id.short) }
  }

  /// The open ones, by kind or id.
  static let orders = NameCompletion.kind(.directives) { reply in
    guard case .directives(let orders) = reply else { return [] }
    return orders.filter { $0.status == .open }.map { .init(name: $0.kind.name, id: $0.id.short) }
  }

  static let alerts = NameCompletion.kind(.alerts) { reply in
    guard case .alerts(let alerts) = reply else { return [] }
    return alerts.map { .init(name: $0.id.kind.name, id: $0.id.row.short) }
  }

  static let devices = NameCompletion.kind(.devices) { reply in
    guard case .devices(let devices) = reply else { return [] }
    return devices.filter { !$0.isRevoked }.map { .init(name: $0.callsign, id: $0.id.short) }
  }

  static let contacts = NameCompletion.kind(.contacts) { reply in
    guard case .contacts(let contacts) = reply else { return [] }
    return contacts.map { .init(name: $0.contact.name, id: $0.contact.id.short) }
  }

  /// A person or a team, for `[PERSON] TEAM`.
  static let peopleAndTeams = NameCompletion.kind(.users) { reply in
    NameCompletion.people(in: reply) + NameCompletion.teams(in: reply)
  }

  /// A person or one of some values, for `[PERSON] VALUE`.
  static func people(or values: [String]) -> CompletionKind {
    NameCompletion.kind(.users) { reply in
      NameCompletion.people(in: reply) + values.map { .init(name: $0, id: $0) }
    }
  }
}
