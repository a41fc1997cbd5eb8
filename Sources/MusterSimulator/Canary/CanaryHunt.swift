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
      public let violation: Violation
    }

    /// Of this bug.
    public init(_ canary: Canary) { self.canary = canary }

    /// What it is played in: nil for what the swarm draws. A few bugs need somebody who forges
    /// whole frames, whom the swarm does not draw.
    public var scenario: String? {
      switch canary {
      case .skipSignature, .acceptUnsigned, .trustAnyRecord, .acceptOlderRecord,
        .anybodyCertifies, .trustClaimedOwner:
        "simulations/canary/forger.yaml"
      default: nil
      }
    }

    /// The first seed of some that catches it; nil where none does.
    ///
    /// - Parameter onSeed: told of each before it is played.
    public func run(
      seeds: Range<UInt64>, onSeed: (UInt64) -> Void
    ) throws(ScenarioFault) -> Catch? {
      let file = try scenario.map { path throws(ScenarioFault) in try Scenario(file: path) }
      Canary.planted = canary
      defer { Canary.planted = nil }
      for seed in seeds {
        onSeed(seed)
        let drawn = file ?? Scenario.drawn(seed: seed, minutes: nil)
        if let violation = World.play(drawn, seed: seed).violations.first {
          return Catch(seed: seed, violation: violation)
        }
      }
      return nil
    }
  }
#endif
