internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct EpochCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "epoch",
    abstract: "Manage the group key that new data is encrypted with.",
    discussion: "Example:  muster epoch rotate",
    subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rotate the group key.",
      discussion: """
        Example:  muster epoch rotate

        Members that are not revoked get the new key from any peer that has it. Older keys are \
        kept, so older data stays readable. A revocation rotates the key by itself. The command \
        prints the key that this device writes under afterwards, and fails if that is another one.
        """)

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
      let door = try await Door.open(home)
      guard case .status(let before) = try await door.ask(.status) else {
        throw Refusal.unexpectedReply
      }
      try confirmation.confirm(
        "This rotates the group key of the operation", name: before.operationName)
      _ = try await door.change(.rotateEpoch)
      guard case .status(let status) = try await door.ask(.status), let epoch = status.epoch else {
        throw Refusal("a new key was made, but this device has none to write under: muster status")
      }
      guard epoch.isOwn else {
        throw Refusal(
          "a new key was made, but \(epoch.callsign)'s key \(epoch.id.short) (generation "
            + "\(epoch.generation)) comes first: rotate again, or revoke that device")
      }
      try Standard.print(
        "New frames are sealed under key \(epoch.id.short), generation \(epoch.generation)")
    }
  }
}
