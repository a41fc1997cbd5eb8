internal import ArgumentParser
internal import MusterNode

struct EpochCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "epoch",
    abstract: "The key that all that is written is sealed under.",
    discussion: "Example:  muster epoch rotate",
    subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a new key for all that is written from now on.",
      discussion: """
        Example:  muster epoch rotate

        Every member gets it from whoever has it. Older keys are kept: what was written stays \
        readable. A revocation rotates by itself.
        """)

    @OptionGroup var home: HomeOptions

    func run() async throws {
      _ = try await Door.open(home).change(.rotateEpoch)
      try Standard.print("What is written from now on is sealed under a new key")
    }
  }
}
