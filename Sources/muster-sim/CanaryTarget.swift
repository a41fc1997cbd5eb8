#if Canary
  import Foundation
  import MusterModel
  import MusterSimulator

  /// The search for one planted bug in a process of its own, since the bug may trap.
  struct CanaryTarget {
    private let canary: Canary

    /// The seed that caught it, and how.
    struct Caught: Codable {
      let seed: UInt64
      let promise: String
      let detail: String
    }

    init(_ canary: Canary) { self.canary = canary }

    /// The promise that a trap violates.
    private static let trapped = "the product's own invariants hold"

    // MARK: Child process

    /// Writes each seed to standard output before its run, and at the end the one that caught the
    /// bug.
    func hunt(seeds: Range<UInt64>, isPlanted: Bool) throws {
      let caught = try CanaryHunt(canary).run(seeds: seeds, isPlanted: isPlanted) { seed in
        Standard.output.write("seed \(seed)\n")
      }
      guard let caught else { return }
      let found = Caught(
        seed: caught.seed, promise: caught.promise, detail: caught.detail)
      Standard.output.write(String(decoding: try JSONEncoder().encode(found), as: UTF8.self) + "\n")
    }

    // MARK: Parent process

    func huntApart(seeds: Range<UInt64>, isPlanted: Bool) throws -> Caught? {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = [
        "canary", "--alone", "--bug", canary.rawValue, "--first", "\(seeds.lowerBound)",
        "--seeds", "\(seeds.count)",
      ]
      if !isPlanted { process.arguments?.append("--healthy") }
      let (output, errors) = (Pipe(), try Self.scratchFile())
      process.standardOutput = output
      process.standardError = errors.handle
      try process.run()
      let text = String(
        decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      defer { unlink(errors.path) }
      let lines = text.split(separator: "\n")
      if let last = lines.last, last.hasPrefix("{") {
        return try JSONDecoder().decode(Caught.self, from: Data(last.utf8))
      }
      let complaint = try String(contentsOfFile: errors.path, encoding: .utf8)
      guard process.terminationReason == .uncaughtSignal else {
        guard process.terminationStatus == 0 else { throw Refusal(complaint) }
        return nil
      }
      let seed = lines.last { $0.hasPrefix("seed ") }.flatMap { UInt64($0.dropFirst(5)) }
      return Caught(
        seed: seed ?? seeds.lowerBound, promise: Self.trapped, detail: Self.reason(in: complaint))
    }

    private static func scratchFile() throws -> (handle: FileHandle, path: String) {
      let path =
        NSTemporaryDirectory() + "muster-canary-\(ProcessInfo.processInfo.processIdentifier)"
      guard FileManager.default.createFile(atPath: path, contents: nil),
        let handle = FileHandle(forWritingAtPath: path)
      else { throw Refusal("cannot write \(path)") }
      return (handle, path)
    }

    /// Returns the message of a precondition, without its file name.
    private static func reason(in complaint: String) -> String {
      for line in complaint.split(separator: "\n") {
        guard let range = line.range(of: "Fatal error: ") else { continue }
        return String(line[range.upperBound...].prefix(160))
      }
      return "it trapped"
    }
  }
#endif
