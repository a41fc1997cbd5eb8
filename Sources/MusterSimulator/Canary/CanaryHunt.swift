#if Canary
  public import MusterModel

  /// Searches for a seed under which a planted bug violates a promise.
  ///
  /// A bug may also trap if memory contradicts the disk, which ends the process. The caller
  /// therefore uses one process for each bug, and is notified of each seed before its run.
  public struct CanaryHunt {
    /// The bug, enabled while its worlds run.
    public let canary: Canary

    /// A run that violated a promise.
    public struct Detection: Hashable, Sendable {
      /// The seed of the run.
      public let seed: UInt64
      /// The first violated promise.
      public let promise: String
      /// The details of the violation.
      public let detail: String
    }

    /// The environment in which a bug is searched for.
    public enum Environment: Hashable, Sendable, CustomStringConvertible {
      /// What the swarm draws.
      case swarm
      /// A scenario file, for conditions that the swarm hardly ever draws.
      case scenario(String)
      /// A device whose power is cut at point after point.
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

    /// Creates a hunt for a bug.
    public init(_ canary: Canary) { self.canary = canary }

    /// The environment of this bug.
    public var ground: Environment {
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
      case .hideHazard: .scenario("simulations/canary/danger.yaml")
      case .ignoreHandedCertificates: .scenario("simulations/admitter-lost.yaml")
      case .ignoreCut, .keyForRevoked: .scenario("simulations/stolen-laptop.yaml")
      case .rankRevokesMembers: .scenario("simulations/stolen-founder.yaml")
      case .forgetCheckInDates, .keepFirstCheckInDate, .firstCheckInCounts, .ignoreCheckInDoubt:
        .scenario("simulations/canary/check-ins.yaml")
      case .storeUncheckedUnit, .forgetUnits, .claimWholePhoto, .evictLastCopy:
        .scenario("simulations/canary/photos.yaml")
      case .useAnyKey, .keepFirstTwin, .onePhotoPerBlob, .memberSilences, .confirmAnyContent,
        .everyWriteCounts, .exactNames:
        .scenario("simulations/canary/insiders.yaml")
      case .firstListCounts: .scenario("simulations/canary/insider-lists.yaml")
      case .alertsWithoutTurns: .scenario("simulations/canary/insider-alerts.yaml")
      default: .swarm
      }
    }

    /// Returns the first seed that catches the bug; nil if none does.
    ///
    /// - Parameters:
    ///   - isPlanted: false to check that the runs pass without the bug: a seed that fails anyway
    ///     catches nothing.
    ///   - onSeed: called before each run.
    public func run(
      seeds: Range<UInt64>, isPlanted: Bool, onSeed: (UInt64) -> Void
    ) throws -> Detection? {
      Canary.planted = isPlanted ? canary : nil
      defer { Canary.planted = nil }
      for seed in seeds {
        onSeed(seed)
        if let caught = try play(seed) { return caught }
      }
      return nil
    }

    private func play(_ seed: UInt64) throws -> Detection? {
      switch ground {
      case .swarm: return play(Scenario.drawn(seed: seed, minutes: nil), seed)
      case .scenario(let file): return play(try Scenario(file: file), seed)
      case .disk:
        for damage in SimulatedDisk.Damage.allCases {
          let row = try DiskTrials(seed: seed).cutPower(
            points: Self.powerCuts, damage: damage, progress: { _ in })
          if let violation = row.violations.first {
            return Detection(seed: seed, promise: row.name, detail: violation)
          }
        }
        return nil
      }
    }

    private static let powerCuts = 20

    private func play(_ scenario: Scenario, _ seed: UInt64) -> Detection? {
      World.play(scenario, seed: seed).violations.first.map {
        Detection(seed: seed, promise: $0.promise, detail: $0.detail)
      }
    }
  }
#endif
