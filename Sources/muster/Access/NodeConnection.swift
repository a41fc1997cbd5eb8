internal import MusterControl
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The connection to a home's node: to the running one through its socket, or to the same code in
/// this process, under the home's lock.
enum NodeConnection: Sendable {
  case running(ControlClient)
  case inProcess(any CommandPerformer)

  /// Connects to the socket, and opens the node in this process if nothing listens there.
  static func open(_ home: HomeOptions) async throws -> NodeConnection {
    let client = ControlClient(path: try ControlSocketPath(home.folders.socketPath))
    return try await LockWait.whileInUse {
      if try await client.isListening() { return .running(client) }
      guard home.folders.exists else { throw absent(home) }
      return .inProcess(try await LocalNode.open(home: home))
    }
  }

  /// The running node only, for commands that need it.
  static func runningNode(of home: HomeOptions) async throws -> ControlClient {
    let client = ControlClient(path: try ControlSocketPath(home.folders.socketPath))
    return try await LockWait.whileInUse {
      if try await client.isListening() { return client }
      guard home.folders.exists else { throw absent(home) }
      // The holder of the lock may be a node that does not listen yet.
      _ = try HomeLock(home.folders)
      throw Refusal("no node is running in \(home.folders.path): start it with `muster run`")
    }
  }

  /// Returns the reply of the node. Throws `Refusal` if the node rejects the command.
  func ask(_ command: Command) async throws -> Reply {
    let reply: Reply
    switch self {
    case .running(let client): reply = try await client.perform(command)
    case .inProcess(let performer): reply = await performer.perform(command)
    }
    if case .refused(let reason, _) = reply { throw Refusal(reason) }
    return reply
  }

  /// As `ask`, for a change: prints a note if it cannot be sent yet.
  func change(_ command: Command) async throws -> Reply {
    let reply = try await ask(command)
    if case .inProcess = self {
      Standard.complain("saved on this laptop, not sent: start the node with `muster run`")
    }
    return reply
  }

  /// As `change`, and prints what was written and whether it was sent.
  ///
  /// - Parameter wait: the seconds to wait for a confirmation; nil not to wait.
  func send(_ command: Command, _ what: String, wait: Int? = nil) async throws {
    try await send(command, wait: wait) { _ in what }
  }

  /// The same, with a text that depends on the reply.
  func send(
    _ command: Command, wait: Int?, _ words: (Reply) throws -> String
  ) async throws {
    let confirmation = try await WriteConfirmation(wait: wait, connection: self)
    let what = try words(try await change(command))
    try Standard.print(await withReach(what))
    if let text = try await confirmation?.text() { try Standard.print(text) }
  }

  /// As `send`, for a command whose standard output is for scripts: the rest is printed on
  /// standard error.
  ///
  /// - Parameter answer: prints the reply, and returns what was written.
  func create(
    _ command: Command, wait: Int?, _ answer: (Reply) async throws -> String
  ) async throws {
    let confirmation = try await WriteConfirmation(wait: wait, connection: self)
    let what = try await answer(try await change(command))
    if case .running = self { Standard.complain(await withReach(what)) }
    if let text = try await confirmation?.text() { Standard.complain(text) }
  }

  /// The same for a new row: prints its id.
  func create(
    _ command: Command, output: OutputOptions, wait: Int?, _ what: (RowID) async throws -> String
  ) async throws {
    try await create(command, wait: wait) { reply in
      guard case .created(let id) = reply else { throw Refusal.unexpectedReply }
      try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
      return try await what(id)
    }
  }

  func withReach(_ what: String) async -> String {
    guard case .running = self else { return "\(what) · saved; not sent yet" }
    let reply: Reply
    do {
      reply = try await ask(.status)
    } catch {
      // The change is saved, whatever became of the node since.
      return "\(what) · saved; the node does not answer any more: start it to send this"
    }
    guard case .status(let status) = reply else { return what }
    return "\(what) · \(Self.reach(of: status.peers))"
  }

  /// Returns what became of a change, as far as the peers of this moment show it.
  static func reach(of peers: [PeerSummary]) -> String {
    let members = peers.count(where: \.isConnectedMember)
    return members == 0
      ? "saved; not sent yet: no device in contact"
      : "sent to \(ValueText.count(members, "device", "devices")) · not yet confirmed"
  }

  static func absent(_ home: HomeOptions) -> Refusal {
    Refusal(
      "there is no node in \(home.folders.path): run `muster init` or `muster join`,"
        + " or give --home")
  }
}
