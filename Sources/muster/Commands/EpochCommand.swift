internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct EpochCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "epoch",
    abstract: "Rotate the key that new data is encrypted with.",
    discussion: "Example:  muster epoch rotate",
    subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rotate the group key.",
      discussion: """
        Example:  muster epoch rotate

        Members that are not revoked get the new key from any peer that has it. Older keys are \
        kept, so older data stays readable. A revocation rotates the key automatically. The \
        command fails if another device's new key takes precedence.
        """)

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      guard case .status(let before) = try await connection.ask(.status) else {
        throw Refusal.unexpectedReply
      }
      try confirmation.confirm(
        "This rotates the group key of the operation", name: before.operationName)
      _ = try await connection.change(.rotateEpoch)
      guard case .status(let status) = try await connection.ask(.status), let epoch = status.epoch
      else {
        throw Refusal(
          "the key was rotated, but this device cannot write with it: see muster status")
      }
      guard epoch.isOwn else {
        throw Refusal(
          "key \(epoch.id.short) of \(epoch.callsign) (generation \(epoch.generation)) takes "
            + "precedence over the new one: rotate again, or revoke that device")
      }
      try Standard.print(
        "New data is encrypted with key \(epoch.id.short), generation \(epoch.generation)")
    }
  }
}
