import Foundation
import MusterTestKit
import Synchronization

/// A separate folder with the laptops of one test, and all their processes.
final class Field: LaptopStage {
  let scratch: TemporaryFolder
  private let program: URL
  private let children = Mutex<(started: Int, all: [Child], watches: [Watch])>((0, [], []))

  /// Runs a test, then ends every process, whatever the result.
  ///
  /// - Parameter program: by default the built one.
  static func run(
    of program: URL? = nil, _ story: (Field) async throws -> Void
  ) async throws {
    let field = try Field(program: program ?? Program.located())
    defer { field.clear() }
    try await story(field)
  }

  private init(program: URL) throws {
    self.program = program
    scratch = try TemporaryFolder()
  }

  /// A laptop without an operation.
  func laptop(_ name: String) throws -> Laptop {
    Laptop(name: name, field: self, folder: try folder(of: name))
  }

  /// A laptop that has joined by the invitation of a running node.
  ///
  /// - Parameter user: whose further device it is; nil for that of a new person.
  func joiner(
    _ name: String, inviting host: Laptop, role: String = "member", of user: String? = nil
  ) async throws -> Laptop {
    let invite =
      if let user {
        try await host.ask("invite", "--role", role, "--user", user)
      } else {
        try await host.ask("invite", "--role", role)
      }
    guard let url = invite["url"].text else { throw Failed("no URL in \(invite)") }
    let laptop = try laptop(name)
    try await laptop.send("join", url, "--callsign", name)
    return laptop
  }

  /// A file for a command to read.
  func file(_ name: String, _ contents: String) throws -> String {
    try Data(contents.utf8).write(to: folder.appending(path: name))
    return path(name)
  }

  /// The standard error of every process so far.
  var complaints: String {
    get throws { try children.withLock { try $0.all.map { try $0.complaints } }.joined() }
  }

  /// - Parameters:
  ///   - stays: whether it runs until it is ended.
  ///   - input: the file that is its standard input; nil for none.
  func start(
    _ words: [String], environment: [String: String], stays: Bool, input: URL? = nil
  ) throws -> Child {
    let surroundings = Child.surroundings(home: path("unused"))
    return try children.withLock { children in
      children.started += 1
      let child = try Child(
        program, words, environment: surroundings.merging(environment) { $1 }, in: folder,
        name: "\(children.started)", input: input)
      children.all.append(child)
      if stays { children.watches.append(try Watch(over: child)) }
      return child
    }
  }

  private func clear() {
    let (_, all, watches) = children.withLock { $0 }
    for child in all { child.endNow() }
    for watch in watches { watch.end() }
  }
}
