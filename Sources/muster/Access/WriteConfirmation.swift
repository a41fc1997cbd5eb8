internal import ArgumentParser
internal import MusterModel
internal import MusterNode

/// How long a command waits until others confirm that they hold what it wrote.
struct WaitOptions: ParsableArguments {
  /// Without a number.
  private static let usualSeconds = 30

  @Option(
    name: .customLong("wait"), defaultAsFlag: WaitOptions.usualSeconds,
    help: ArgumentHelp(
      "Wait until command has it.", valueName: "seconds"))
  var seconds: Int?

  func validate() throws {
    if let seconds, !(1...86_400).contains(seconds) {
      throw ValidationError("--wait takes 1 to 86400 seconds")
    }
  }
}

/// Waits until the frames that one command wrote are held by a command post, and by another device
/// if this one is command.
struct WriteConfirmation {
  private let connection: NodeConnection
  private let seconds: Int
  private let before: Set<WrittenThrough>

  /// The exit code of a command whose change was saved and was not confirmed in time: `EX_TEMPFAIL`
  /// of sysexits.h.
  static let notConfirmed = ExitCode(75)
  private static let pause = Duration.milliseconds(200)

  /// Call it before the command. Nil without `--wait`.
  ///
  /// Throws `Refusal` without a running node, which nothing could be confirmed to.
  init?(wait seconds: Int?, connection: NodeConnection) async throws {
    guard let seconds else { return nil }
    guard case .running = connection else {
      throw Refusal("--wait needs a running node: start it with `muster run`, or leave --wait out")
    }
    (self.connection, self.seconds) = (connection, seconds)
    before = try await Self.written(by: connection)
  }

  /// Waits, and returns who holds it. After the time it prints what is missing on standard error,
  /// and throws `notConfirmed`.
  func text() async throws -> String {
    do {
      return try await confirmed()
    } catch let code as ExitCode {
      throw code
    } catch {
      // It is saved, whatever became of the node since.
      Standard.complain("saved, not confirmed: \(error)")
      throw Self.notConfirmed
    }
  }

  private func confirmed() async throws -> String {
    let written = try await Self.written(by: connection).subtracting(before)
    guard !written.isEmpty else { return "nothing to confirm" }
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      guard
        case .delivery(let delivery) = try await connection.ask(
          .delivery(written.sorted { $0.log < $1.log }))
      else {
        throw Refusal.unexpectedReply
      }
      if delivery.isConfirmed { return delivery.text }
      guard ContinuousClock.now < end else {
        Standard.complain(
          "not confirmed after \(seconds) s: \(delivery.text); it stays saved, and is sent as soon "
            + "as a device is in contact")
        throw Self.notConfirmed
      }
      try await Task.sleep(for: Self.pause)
    }
  }

  private static func written(by connection: NodeConnection) async throws -> Set<WrittenThrough> {
    guard case .writtenThrough(let written) = try await connection.ask(.writtenThrough) else {
      throw Refusal.unexpectedReply
    }
    return Set(written)
  }
}

extension Delivery {
  /// Whether a command post holds it and, beside this device, another one: a device of command
  /// confirms nothing to itself.
  fileprivate var isConfirmed: Bool { total == 1 || (commandPost && devices > 1) }
}
