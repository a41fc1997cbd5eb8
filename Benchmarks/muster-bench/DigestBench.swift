import ArgumentParser
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// What it takes to find out which of many logs differ.
struct DigestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Two replicas of many logs find the few that are stale.")

  @Option(help: "Logs that both hold; each device has two.")
  var logs = 1000

  @Option(help: "Logs in which one of them lacks the newest frame.")
  var stale = 10

  func run() throws {
    progress("digest: enrolling \(logs / 2) devices")
    var mesh = try Mesh(seed: 4, founderStore: .inMemory())
    try mesh.join(store: .inMemory(), callsign: "Ben", role: .member)
    let devices = max(stale, logs / 2)
    for index in 0..<devices {
      try mesh.join(store: .inMemory(), callsign: "Device \(index)", role: .member)
      for toEvacuate in [false, true] {
        var draft = Workload.report(index)
        draft.toEvacuate = toEvacuate
        _ = try mesh.at(index + 2) { try $0.addReport(draft, now: $1) }
      }
      try mesh.synchronise(0, index + 2)
    }
    progress("digest: comparing")
    try mesh.synchronise(0, 1)
    try mesh.settle(0, 1)
    for index in 0..<stale {
      _ = try mesh.at(index + 2) { try $0.addReport(Workload.report(index), now: $1) }
      try mesh.synchronise(0, index + 2)
    }
    mesh.resetTraffic()
    try mesh.synchronise(0, 1)
    let traffic = mesh.traffic
    try Measurement(
      bench: "digest", value: Double(traffic.bytesBeforeFrames), unit: "bytes", limit: 4096,
      note: "both ways with headers, wants and all, before the first missing frame arrived; "
        + "\(logs) logs, \(stale) stale; \(traffic.bytes) bytes until both held everything"
    ).print()
    try Measurement(
      bench: "digest-round-trips", value: Double(traffic.crossingsBeforeFrames + 1) / 2,
      unit: "round trips", limit: 3,
      note: "from the first word until the first missing frame arrived; "
        + "\(Double(traffic.crossings) / 2) until both held everything"
    ).print()
  }
}
