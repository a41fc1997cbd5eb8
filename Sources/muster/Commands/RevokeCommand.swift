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
                muster revoke 3f9a

      What this laptop holds of it still counts; what it writes from now on counts for nobody, \
      wherever it turns up first. What everybody else writes is sealed under a new key that it is \
      not given. Until the word has spread, whoever has not heard it goes on as before. It cannot \
      be undone: who comes back joins again, with a new key.
      """)

  @Argument(help: "The laptop, by the callsign of whose it is or by its id.")
  var device: String

  @OptionGroup var home: HomeOptions

  func run() async throws {
    guard case .devices(let devices) = try await Door.open(home).change(.revoke(device)),
      let device = devices.first
    else { throw Refusal.unexpectedReply }
    try Standard.print(
      "\(SafeText.line(device.callsign))'s laptop \(device.id.short) is put out, for ever")
  }
}
