import Foundation
import MusterTestKit
import Testing

extension NetworkTests {
  @Suite struct ReachTests {
    @Test func `a write at one end of a chain of four appears at the other end`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        let dora = try await valley.joiner("Dora", admittedBy: anna)
        for (one, other) in [(anna, ben), (ben, cora), (cora, dora)] {
          try valley.wire(one, other)
        }
        for laptop in [anna, ben, cora, dora] { try await laptop.run() }
        try await inStep(anna, ben, cora, dora) { $0["users"] == .number(4) }

        for (from, to) in [(anna, dora), (dora, anna)] {
          var milliseconds: [Int] = []
          for number in 1...5 {
            let id = try await from.report("Number \(number) of \(from.name)")
            let taken = try await eventually("\(to.name) sees what \(from.name) wrote") {
              try await to.ask("status")["reports"] == from.ask("status")["reports"]
            }
            try #require(try await to.reports().contains(id))
            milliseconds.append(taken.wholeMilliseconds)
          }
          milliseconds.sort()
          print(
            "over three links, \(from.name) to \(to.name), with two commands to see it:",
            "\(milliseconds[2]) ms (median of \(milliseconds))")
          try #require(milliseconds[2] < 5000)
        }

        try await inStep(anna, ben, cora, dora) { $0["reports"] == .number(10) }
        try #require(try await anna.neighbours() == ["Ben"])
        try #require(try await ben.neighbours() == ["Anna", "Cora"])
        try #require(try await cora.neighbours() == ["Ben", "Dora"])
        try #require(try await dora.neighbours() == ["Cora"])
      }
    }

    @Test func `a partitioned ring of four converges after the heal`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        let dora = try await valley.joiner("Dora", admittedBy: anna)
        try valley.wire(anna, ben)
        let east = try valley.wire(ben, cora)
        try valley.wire(cora, dora)
        let west = try valley.wire(dora, anna)
        for laptop in [anna, ben, cora, dora] { try await laptop.run() }
        try await inStep(anna, ben, cora, dora) { $0["users"] == .number(4) }

        for wire in [east, west] { try wire.cut() }
        var here: Set<String> = []
        var there: Set<String> = []
        for number in 1...5 {
          for laptop in [anna, ben] {
            here.insert(try await laptop.report("Here \(number), \(laptop.name)"))
          }
          for laptop in [cora, dora] {
            there.insert(try await laptop.report("There \(number), \(laptop.name)"))
          }
        }
        // Each half continues alone, without data from the other.
        try await inStep(anna, ben) { $0["reports"] == .number(10) }
        try await inStep(cora, dora) { $0["reports"] == .number(10) }
        try #require(try await anna.reports() == here)
        try #require(try await dora.reports() == there)

        for wire in [east, west] { try wire.repair() }
        let taken = try await inStep(anna, ben, cora, dora, within: .seconds(100)) {
          $0["reports"] == .number(20)
        }
        print("two halves converge \(taken.wholeMilliseconds) ms after the heal")
        for laptop in [anna, ben, cora, dora] {
          try #require(try await laptop.reports() == here.union(there))
          try await laptop.requireSound()
        }
      }
    }
  }
}
