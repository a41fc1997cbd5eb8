internal import ArgumentParser
internal import MusterModel
internal import MusterNode

extension CheckInCommand {
  struct Pin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Require a PIN for check-ins on this laptop.",
      discussion: """
        Example:  muster checkin pin set
                  muster checkin pin remove

        Choose two PINs: one for every day, and one for when someone forces you. Both give the \
        same output. With the second, command gets an alarm that no one else can see.
        """,
      subcommands: [Set.self, Remove.self])

    struct Set: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Set or replace the two PINs.",
        discussion: """
          Example:  muster checkin pin set
                    muster checkin pin set --from pins.txt

          Asks on the terminal. The file has the usual PIN, the PIN for duress and, if PINs are \
          set, one of those, each on a line.
          """)

      @Option(help: ArgumentHelp("Read the PINs from a file.", valueName: "file"))
      var from: String?

      @OptionGroup(title: "Node") var home: HomeOptions

      func run() async throws {
        let connection = try await NodeConnection.open(home)
        let isRequired = try await connection.requiresPin
        let lines = try from.map { try PinOptions.lines(of: $0) }
        if let lines, lines.count != (isRequired ? 3 : 2) {
          throw Refusal(
            isRequired
              ? "the file needs three lines: the usual PIN, the PIN for duress, one that is set"
              : "the file needs two lines: the usual PIN and the PIN for duress")
        }
        let current = try isRequired ? lines?[2] ?? PinOptions.ask("Current PIN: ") : nil
        let change = CheckInPinChange(
          current: current, usual: try lines?[0] ?? PinOptions.askTwice("New PIN"),
          duress: try lines?[1] ?? PinOptions.askTwice("PIN for duress"))
        _ = try await connection.ask(.setCheckInPins(change))
        try Standard.print("PINs set: check-ins on this laptop require one of them")
      }
    }

    struct Remove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Remove both PINs.", discussion: "Example:  muster checkin pin remove")

      @OptionGroup var pin: PinOptions
      @OptionGroup(title: "Node") var home: HomeOptions

      func run() async throws {
        let connection = try await NodeConnection.open(home)
        guard try await connection.requiresPin else {
          throw Refusal("no PINs are set on this laptop: set them with `muster checkin pin set`")
        }
        let current = try await pin.pin(for: connection)
        _ = try await connection.ask(
          .setCheckInPins(CheckInPinChange(current: current, usual: nil, duress: nil)))
        try Standard.print("PINs removed")
      }
    }
  }

  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "As command, end the alarm about a person under duress.",
      discussion: """
        Example:  muster checkin clear Ben

        Only this laptop's alarm ends, until the person's next call. Nothing is sent, because a \
        message would show others that there was a call.
        """)

    @Argument(help: "The person's callsign or id.", completion: .people)
    var person: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      _ = try await connection.ask(.clearDuress(try await connection.person(named: person)))
      try Standard.print("\(SafeText.line(person)): alarm ended on this laptop")
    }
  }
}

/// The PIN of a check-in, on a laptop that requires one.
struct PinOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read the PIN from a file. (default: ask)", valueName: "file"),
    completion: .file())
  var pinFile: String?

  /// Returns the PIN; nil if none is given and the node requires none.
  func pin(for connection: NodeConnection) async throws -> String? {
    if let pinFile {
      guard let line = try Self.lines(of: pinFile).first else {
        throw Refusal("\(pinFile) is empty: write the PIN on its first line")
      }
      return line
    }
    return try await connection.requiresPin ? try Self.ask("PIN: ") : nil
  }

  static func ask(_ question: String) throws -> String {
    guard let typed = try Passphrase.ask(question) else {
      throw Refusal("there is no terminal to ask for the PIN: give --pin-file, or `pin set --from`")
    }
    return String(decoding: typed.bytes, as: UTF8.self)
  }

  static func askTwice(_ name: String) throws -> String {
    let first = try ask("\(name): ")
    guard try ask("\(name), again: ") == first else {
      throw Refusal("the two PINs differ: nothing was changed. Run the command again")
    }
    return first
  }

  static func lines(of path: String) throws -> [String] {
    let bytes = try InputFile.textBytes(of: path, limit: Passphrase.mostFileBytes)
    return bytes.split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension NodeConnection {
  /// Whether the node requires a PIN for check-ins.
  var requiresPin: Bool {
    get async throws {
      guard case .checkInPin(let isRequired) = try await ask(.checkInPin) else {
        throw Refusal.unexpectedReply
      }
      return isRequired
    }
  }
}
