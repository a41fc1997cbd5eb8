internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct BundleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Carries the operation from laptop to laptop on a memory stick.",
    discussion: """
      Example:  muster bundle create /media/stick/flood.bundle
                muster bundle merge /media/stick/flood.bundle

      For laptops that no network joins. Whoever finds the stick reads nothing; every laptop of \
      the operation can merge it, as often as it likes, and passes on what it brought.
      """,
    subcommands: [Create.self, Merge.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes all that this laptop holds to a file.",
      discussion: """
        Example:  muster bundle create /media/stick/flood.bundle

        The file appears under its name once it is whole and on the stick. Take the stick out as \
        the system says all the same.
        """)

    @Argument(help: ArgumentHelp("Where to write the bundle.", valueName: "file"))
    var file: String

    @Flag(help: "Writes over a file that is there.")
    var force = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let writer = try BundleFileWriter(file, replaces: force)
      let door = try await Door.open(home)
      var piece: BundlePiece
      var place: [UInt8] = []
      repeat {
        guard
          case .bundlePiece(let next) = try await door.ask(.bundlePiece(at: ByteString(place)))
        else { throw Refusal.unexpectedReply }
        try writer.append(next.bytes)
        (piece, place) = (next, next.next)
      } while !place.isEmpty
      try writer.finish()
      if output.json {
        return try Standard.print(
          JSON.object([
            "file": .string(file), "bytes": .count(writer.count), "frames": .count(piece.frames),
            "records": .count(piece.records),
          ]).text)
      }
      try Standard.print(
        "Wrote \(file): \(Words.count(piece.frames, "frame", "frames")) and "
          + "\(Words.count(piece.records, "record", "records")), \(writer.count) bytes.\n"
          + "On the other laptop: `muster bundle merge FILE`, and bring one of its own back.")
    }
  }

  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes in what a bundle holds.",
      discussion: """
        Example:  muster bundle merge /media/stick/flood.bundle

        Every hash and signature is checked as if it had come over the air. Of a damaged file what \
        is whole is taken, and the exit code is 1. Merging again changes nothing.
        """)

    @Argument(help: ArgumentHelp("The bundle.", valueName: "file"))
    var file: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let reader = try BundleFileReader(file)
      let door = try await Door.open(home)
      var (tally, place) = (BundleTally(), [UInt8]())
      var end: BundleEnd?
      while end == nil {
        let (bytes, isLast) = try reader.read()
        guard
          case .bundleProgress(let progress) = try await door.ask(
            .mergeBundle(ByteString(bytes), at: ByteString(place), isLast: isLast))
        else { throw Refusal.unexpectedReply }
        guard progress.end != nil || progress.consumed > 0 else { throw Refusal.unexpectedReply }
        try reader.pass(progress.consumed)
        tally.add(progress.tally)
        (place, end) = (progress.next, progress.end)
      }
      let outcome = BundleOutcome(
        tally: tally, end: end ?? .cutShort, hasMore: try !reader.isAtEnd)
      if output.json {
        try Standard.print(outcome.json.text)
      } else {
        try Standard.print(outcome.lines.joined(separator: "\n"))
      }
      if let problem = outcome.problem { throw Refusal("\(file) \(problem)") }
    }
  }
}
