internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct BundleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Carry data between laptops on a memory stick.",
    discussion: """
      Example:  muster bundle create /media/stick/flood.bundle
                muster bundle merge /media/stick/flood.bundle

      For laptops without a network between them. A bundle is encrypted for the members of the \
      operation. Any of their laptops can merge it, any number of times, and relays what is new.
      """,
    subcommands: [Create.self, Merge.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write all data of this node to a file.",
      discussion: """
        Example:  muster bundle create /media/stick/flood.bundle

        The file gets its name once it is complete and on the disk. Eject the stick before you \
        remove it.
        """)

    @Argument(help: ArgumentHelp("The bundle to write.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Replace an existing file.")
    var force = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let writer = try BundleFileWriter(file, replaces: force)
      let connection = try await NodeConnection.open(home)
      let piece = try await ProgressLine.during("Writing \(file)") { progress in
        var place: [UInt8] = []
        while true {
          guard
            case .bundlePiece(let next) = try await connection.ask(
              .bundlePiece(at: ByteString(place)))
          else { throw Refusal.unexpectedReply }
          try writer.append(next.bytes)
          progress.update(ValueText.bytes(UInt64(writer.count)))
          if next.next.isEmpty { return next }
          place = next.next
        }
      }
      try writer.finish()
      if output.json {
        return try Standard.print(
          JSON.object([
            "file": .string(file), "bytes": .count(writer.count), "frames": .count(piece.frames),
            "records": .count(piece.records),
          ]).text)
      }
      try Standard.print(
        "Wrote \(file): \(ValueText.count(piece.frames, "frame", "frames")) and "
          + "\(ValueText.count(piece.records, "record", "records")), "
          + "\(ValueText.bytes(UInt64(writer.count))).\n"
          + "Next, on the other laptop: muster bundle merge FILE")
    }
  }

  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Merge the data of a bundle into this node.",
      discussion: """
        Example:  muster bundle merge /media/stick/flood.bundle

        Every hash and signature is verified, as for data from the network. From a damaged file, \
        the intact parts are merged and the exit code is 1. Merging again changes nothing.
        """)

    @Argument(help: ArgumentHelp("The bundle to merge.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let reader = try BundleFileReader(file)
      let connection = try await NodeConnection.open(home)
      let (tally, end) = try await ProgressLine.during("Merging \(file)") { progress in
        try await Self.merge(reader, by: connection, progress)
      }
      let outcome = BundleOutcome(tally: tally, end: end, hasMore: try !reader.isAtEnd)
      if output.json {
        try Standard.print(outcome.json.text)
      } else {
        try Standard.print(outcome.lines.joined(separator: "\n"))
      }
      if let problem = outcome.problem { throw Refusal("\(file) \(problem)") }
    }

    static func merge(
      _ reader: BundleFileReader, by connection: NodeConnection, _ progress: ProgressLine
    ) async throws -> (BundleTally, BundleEnd) {
      var (tally, place, count) = (BundleTally(), [UInt8](), 0)
      while true {
        let (bytes, isLast) = try reader.read()
        guard
          case .bundleProgress(let step) = try await connection.ask(
            .mergeBundle(ByteString(bytes), at: ByteString(place), isLast: isLast)),
          step.end != nil || step.consumed > 0
        else { throw Refusal.unexpectedReply }
        try reader.pass(step.consumed)
        count += step.consumed
        tally.add(step.tally)
        if let end = step.end { return (tally, end) }
        place = step.next
        progress.update(ValueText.bytes(UInt64(count)))
      }
    }
  }
}
