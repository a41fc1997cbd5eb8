internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct CouncilCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "council",
    abstract: "Manage the council that revokes commanders.",
    discussion: """
      Example:  muster council propose Anna Ben Carl
                muster council endorse
                muster council status

      Where there is a council, no single commander can revoke another member: a stolen laptop \
      cannot remove the others. `muster revoke` then casts a vote, and a majority revokes. Without \
      a council, commanders of equal rank can revoke one another.
      """,
    subcommands: [Propose.self, Endorse.self, Status.self])

  struct Propose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Propose a council of 3 to 15 commanders.",
      discussion: """
        Example:  muster council propose Anna Ben Carl
                  muster council propose Anna Ben Dora --root-key /media/usb/root.key

        With the root key, the council counts at once and replaces earlier ones. The key is read \
        from --root-key, or from the keys of this home if there is no council yet. Keep it away \
        from the laptop afterwards. Without it, a member proposes another council, which counts \
        once a majority of the members endorses it. Votes in earlier councils keep counting.
        """)

    @Argument(help: "The members' laptops, by callsign or id.", completion: .devices)
    var members: [String]

    @Option(
      help: ArgumentHelp("Sign with the root key in a file.", valueName: "file"),
      completion: .file())
    var rootKey: String?

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      guard case .councils(let before) = try await connection.ask(.councils),
        case .status(let status) = try await connection.ask(.status)
      else { throw Refusal.unexpectedReply }
      let path = rootKey ?? (before.contains(where: \.counts) ? nil : keptRootKey)
      try confirmation.confirm(
        path == nil
          ? "This proposes another council, which cannot be withdrawn"
          : "This creates a council by the root key, which replaces earlier ones",
        name: status.operationName)
      let key = try path.map { try InputFile.bytes(of: $0, limit: 4096) }
      let isLocked = key.map { Founding.isLocked(rootKey: $0) } ?? false
      let passphrase = isLocked ? try home.passphrase() : nil
      let command = Command.proposeCouncil(
        of: members, rootKey: key.map { ByteString($0) },
        passphrase: passphrase.map { ByteString($0.bytes) })
      guard case .councils(let councils) = try await connection.change(command) else {
        throw Refusal.unexpectedReply
      }
      try CouncilView.print(councils, output)
      if !output.json, let path {
        try Standard.print("Move \(path) to a USB stick, in a safe: it can replace the council.")
      }
    }

    private var keptRootKey: String? {
      Founding.keepsRootKey(home.folders) ? Founding.rootKeyPath(of: home.folders) : nil
    }
  }

  struct Endorse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Endorse a proposed council.",
      discussion: """
        Example:  muster council endorse
                  muster council endorse 3f9a

        Compare the members with the proposer first, by voice. A majority of endorsements gives \
        the proposed members the power to revoke one another. This cannot be withdrawn.
        """)

    @Argument(help: "The proposal, by the first digits of its id; not needed if there is only one.")
    var proposal: String?

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      guard case .councils(let before) = try await connection.ask(.councils) else {
        throw Refusal.unexpectedReply
      }
      let waiting = before.filter { council in
        !council.counts
          && (proposal.map { IdentifierPrefix($0)?.begins(council.id) ?? false } ?? true)
      }
      if waiting.count == 1, let only = waiting.first {
        let names = only.members.map { SafeText.line($0.callsign) }.joined(separator: ", ")
        try confirmation.confirm(
          "This endorses a council of \(names)", name: String(only.id.description.prefix(8)))
      }
      guard case .councils(let councils) = try await connection.change(.endorseCouncil(proposal))
      else {
        throw Refusal.unexpectedReply
      }
      try CouncilView.print(councils, output)
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the councils, their members and the votes.",
      discussion: "Example:  muster council status --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .councils(let councils) = try await NodeConnection.open(home).ask(.councils) else {
        throw Refusal.unexpectedReply
      }
      try CouncilView.print(councils, output)
    }
  }
}

/// Councils as text for the terminal.
enum CouncilView {
  static func print(_ councils: [CouncilSummary], _ output: OutputOptions) throws {
    try Standard.print(
      output.json ? JSON.array(councils.map(\.json)).text : text(of: councils))
  }

  private static func text(of councils: [CouncilSummary]) -> String {
    guard !councils.isEmpty else {
      return "No council: commanders of equal rank can revoke one another."
    }
    return councils.map(text).joined(separator: "\n")
  }

  private static func text(of council: CouncilSummary) -> String {
    let id = council.id.description.prefix(8)
    var lines: [String] = []
    if council.counts {
      let origin = council.parent == nil ? "by the root key" : "by endorsements"
      lines.append("Council \(id) (\(origin)): \(council.quorum) votes revoke a member")
    } else {
      lines.append(
        "Proposal \(id): \(council.endorsedBy.count) of \(council.endorsementsNeeded) "
          + "endorsements, by \(SafeText.line(council.endorsedBy.joined(separator: ", ")))")
    }
    for member in council.members {
      let marks = [member.isRevoked ? "REVOKED" : nil, member.isThisDevice ? "← this laptop" : nil]
        .compactMap(\.self)
      let words = ([SafeText.line(member.callsign), member.device.short] + marks)
      lines.append("  " + words.joined(separator: " "))
    }
    for open in council.cases {
      let voters = SafeText.line(open.voters.joined(separator: ", "))
      lines.append(
        "  \(SafeText.line(open.callsign)): \(open.voters.count) of \(council.quorum) votes to "
          + "revoke, by \(voters)\(open.isDecided ? ": revoked" : "")")
    }
    return lines.joined(separator: "\n")
  }
}
