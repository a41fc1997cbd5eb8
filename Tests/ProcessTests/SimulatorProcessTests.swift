import Foundation
import MusterTestKit
import Testing

/// `muster-sim` as a program: properties that only separate processes show.
@Suite struct SimulatorProcessTests {
  private let scratch: TemporaryFolder
  private let program: URL

  init() throws {
    program = try Program.located("muster-sim")
    scratch = try TemporaryFolder()
  }

  private var folder: URL { scratch.url }

  private func run(_ words: String..., number: Int) async throws -> Ended {
    let child = try Child(program, words, environment: [:], in: folder, name: "\(number)")
    return try await child.end(within: .seconds(120))
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  }

  /// Swift hashes with a different seed in each process: a dependency on the order of a set or a
  /// dictionary shows here.
  @Test func `two processes run one seed to the same trace hash`() async throws {
    try write(
      """
      story: Some people write on a bad network.
      duration: 40s
      warm_up: 5s
      nodes:
        - {name: anna, role: command, walks: 5m/s}
        - {name: crew, count: 4, walks: 5m/s}
        - {name: mast, role: relay}
      network: {loss: 20%, duplicate: 10%, reorder: 10%, delay: 1ms..50ms}
      workload: {positions: 5s, reports: 2s, edits: 3s, comments: 3s, fences: 10s, fences_at_start: 3}
      events:
        - {at: 5s, cut: [[anna, crew-1], [crew-2, crew-3, crew-4, mast]]}
        - {at: 15s, crash: crew-2, for: 5s}
      """, to: "bad.yaml")
    var hashes: Set<String> = []
    for number in 1...3 {
      let ended = try await run("run", "bad.yaml", "--seed", "11", "--json", number: number)
      #expect(ended.status == 0, "\(ended.errors)")
      let object = try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
      let result = try #require(object as? [String: Any])
      for key in [
        "scenario", "seed", "traceHash", "simulatedSeconds", "wallSeconds", "nodes",
        "acknowledgedWrites", "convergedSeconds", "bytesSent", "datagrams", "violations",
      ] {
        #expect(result[key] != nil, "\(key) is missing")
      }
      hashes.insert(try #require(result["traceHash"] as? String))
    }
    #expect(hashes.count == 1, "seed 11 gave \(hashes.sorted())")
  }

  @Test func `a file with an unknown key is refused with its line, and nothing runs`()
    async throws
  {
    try write(
      "story: No.\nduration: 1m\ncolour: red\nnodes: [{name: a, role: command}]\n", to: "x.yaml")
    let ended = try await run("run", "x.yaml", number: 1)
    #expect(ended.status == 1)
    #expect(ended.output.isEmpty)
    #expect(ended.errors == "Error: x.yaml:3: unknown key 'colour'\n")
  }
}
