internal import ArgumentParser
internal import MusterNode

struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Puts a laptop out: stolen, lost, or its owner dismissed.",
    discussion: """
      Example:  muster device list
                muster revoke 3f9a

      What this laptop holds of it still counts; what it writes from now on counts for nobody, \
      wherever it turns up first. What everybody else writes is sealed under a new key that it is \
      not given. Until the word has spread, whoever has not heard it goes on as before. It cannot \
      be undone: who comes back joins again, with a new key.
      """)

  @Argument(help: "The laptop.", transform: RowArgument.init(parsing:))
  var device: RowArgument

  @OptionGroup var home: HomeOptions

  func run() async throws { _ = try await Door.open(home).change(.revoke(device.prefix)) }
}
