#if Canary
  import Foundation
  public import MusterModel
  import Yams

  /// The checked-in seeds that catch the planted bugs, one line a bug:
  /// `simulations/canary/seeds.yml`.
  public struct CanaryLedger: Hashable, Sendable {
    /// A seed that catches a bug, and the violated promise.
    public struct Entry: Hashable, Sendable {
      /// The seed, for the bug's scenario.
      public var seed: UInt64
      /// The violated promise.
      public var promise: String

      /// Creates an entry.
      public init(seed: UInt64, promise: String) {
        self.seed = seed
        self.promise = promise
      }
    }

    /// By bug. Bugs that were never caught have none.
    public var entries: [Canary: Entry] = [:]

    /// Creates an empty ledger.
    public init() {}

    /// Reads the file. Every key must be a known bug.
    public init(file path: String) throws(ScenarioFault) {
      let root: Node
      do {
        guard let node = try compose(yaml: String(contentsOfFile: path, encoding: .utf8)) else {
          throw ScenarioFault(file: path, line: nil, reason: "it is empty")
        }
        root = node
      } catch let fault as ScenarioFault {
        throw fault
      } catch {
        throw ScenarioFault(file: path, line: nil, reason: "\(error)")
      }
      var fields = try Fields(root, what: "the file", file: path)
      for canary in Canary.allCases {
        guard let node = fields.take(canary.rawValue) else { continue }
        var entry = try Fields(node, what: "'\(canary.rawValue)'", file: path)
        guard let seed = try entry.number("seed", within: 0...Int64.max),
          let promise = try entry.text("promise")
        else { throw entry.fault("'\(canary.rawValue)' needs a seed and a promise") }
        try entry.finish()
        entries[canary] = Entry(seed: UInt64(seed), promise: promise)
      }
      try fields.finish()
    }

    /// The file's text, in the order of the bugs.
    public var yaml: String {
      var lines = [
        "# Planted bugs, each with a seed that catches it: of the swarm, or of its own scenario in",
        "# simulations/canary/. `muster-sim canary` of a build with the trait Canary writes this",
        "# file, and `muster-sim canary --replay` replays it.",
      ]
      for canary in Canary.allCases {
        guard let entry = entries[canary] else { continue }
        lines.append(
          "\(canary.rawValue): {seed: \(entry.seed), promise: \"\(entry.promise)\"}")
      }
      return lines.joined(separator: "\n") + "\n"
    }
  }
#endif
