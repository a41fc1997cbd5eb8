internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Puts a laptop out: stolen, lost, or its owner dismissed.",
    discussion: """
      Example:  muster revoke Ben
                muster device list
                muster revoke 3f9a --yes

      What this laptop holds of it still counts; what it writes from now on counts for nobody, \
      wherever it turns up first. What everybody else writes is sealed under a new key that it is \
      not given. Until the word has spread, whoever has not heard it goes on as before. It cannot \
      be undone: who comes back joins again, with a new key.
      """)

  @Argument(help: "The laptop, by the callsign of whose it is or by its id.")
  var device: String

  @OptionGroup var confirmation: ConfirmationOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let door = try await Door.open(home)
    try confirmation.confirm(
      "This revokes the device of \(device) for good", name: device)
    guard case .devices(let devices) = try await door.change(.revoke(device)),
      let device = devices.first
    else { throw Refusal.unexpectedReply }
    try Standard.print(
      "Revoked \(SafeText.line(device.callsign))'s device \(device.id.short); "
        + "new data is encrypted with a new key")
  }
}
