#if Canary
  public import MusterModel

  /// Looks for a seed under which a planted bug breaks a promise.
  ///
  /// A bug may also trap, where memory contradicts the disk: that ends the process, so whoever
  /// hunts does it in a process for each bug, and is told before each run which seed is next.
  public struct CanaryHunt {
    /// Switched on while its worlds are played.
    public let canary: Canary

    /// A run that broke a promise.
    public struct Catch: Hashable, Sendable {
      /// Of the run.
      public let seed: UInt64
      /// The first that it broke.
      public let promise: String
      /// What was seen.
      public let detail: String
    }

    /// What a bug is played in.
    public enum Ground: Hashable, Sendable, CustomStringConvertible {
      /// What the swarm draws.
      case swarm
      /// A file, where the swarm draws what it takes hardly ever.
      case scenario(String)
      /// A laptop whose power is cut at point after point.
      case disk

      /// For people.
      public var description: String {
        switch self {
        case .swarm: "the swarm"
        case .scenario(let file): file
        case .disk: "the power cuts"
        }
      }
    }

    /// Of this bug.
    public init(_ canary: Canary) { self.canary = canary }

    /// Where it is looked for.
    public var ground: Ground {
      switch canary {
      case .skipSync: .disk
      case .skipSignature, .acceptUnsigned, .trustAnyRecord, .acceptOlderRecord,
        .anybodyCertifies, .trustClaimedOwner:
        .scenario("simulations/canary/forger.yaml")
      case .exitTooSoon, .exitOnLateFix, .staleFences:
        .scenario("simulations/canary/edges.yaml")
      case .reuseGeneration, .forgetDetector:
        .scenario("simulations/canary/restarts.yaml")
      case .readmitRevoked, .globalLogBound, .globalTrackerBound, .globalMissingKeys,
        .greatestGenerationWins:
        .scenario("simulations/insider-floods.yaml")
      case .ignoreHandedCertificates: .scenario("simulations/admitter-lost.yaml")
      case .ignoreCut, .keyForRevoked: .scenario("simulations/stolen-laptop.yaml")
      default: .swarm
      }
    }

    /// The first seed of some that catches it; nil where none does.
    ///
    /// - Parameters:
    ///   - isPlanted: false to see whether all is well without the bug: a seed that breaks a
    ///     promise all by itself catches nothing.
    ///   - onSeed: told of each before it is played.
    public func run(
      seeds: Range<UInt64>, isPlanted: Bool, onSeed: (UInt64) -> Void
    ) throws -> Catch? {
      Canary.planted = isPlanted ? canary : nil
      defer { Canary.planted = nil }
      for seed in seeds {
        onSeed(seed)
        if let caught = try play(seed) { return caught }
      }
      return nil
    }

    private func play(_ seed: UInt64) throws -> Catch? {
      switch ground {
      case .swarm: return play(Scenario.drawn(seed: seed, minutes: nil), seed)
      case .scenario(let file): return play(try Scenario(file: file), seed)
      case .disk:
        for damage in SimulatedDisk.Damage.allCases {
          let row = try DiskTrials(seed: seed).cutPower(
            points: Self.powerCuts, damage: damage, progress: { _ in })
          if let violation = row.violations.first {
            return Catch(seed: seed, promise: row.name, detail: violation)
          }
        }
        return nil
      }
    }

    private static let powerCuts = 20

    private func play(_ scenario: Scenario, _ seed: UInt64) -> Catch? {
      World.play(scenario, seed: seed).violations.first.map {
        Catch(seed: seed, promise: $0.promise, detail: $0.detail)
      }
    }
  }
#endif
