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

  @Option(help: "Logs that both hold; each life of a device has two.")
  var logs = 1000

  @Option(help: "Logs in which one of them lacks the newest frame.")
  var stale = 10

  func run() throws {
    let incarnations = (logs / 2 + stale - 1) / stale
    progress("digest: \(stale) devices live \(incarnations) times each")
    var mesh = try Mesh(seed: 4, founderAt: nil)
    // The founder gives receipts, which are no part of this: two members compare.
    let (one, other, first) = (1, 2, 3)
    for name in ["Ben", "Cleo"] {
      try mesh.join(at: nil, callsign: name, role: .member)
    }
    for index in 0..<stale {
      try mesh.join(at: nil, callsign: "Device \(index)", role: .member)
    }
    try mesh.synchronise(0, one)
    for device in first..<first + stale {
      for incarnation in 0..<incarnations {
        if incarnation > 0 { try mesh.startIncarnation(device) }
        for toEvacuate in [false, true] {
          var draft = Workload.report(device)
          draft.toEvacuate = toEvacuate
          _ = try mesh.at(device) { try $0.write(ReportRequests.add(draft), now: $1) }
        }
      }
      try mesh.synchronise(one, device)
    }
    progress("digest: comparing")
    try mesh.synchronise(one, other)
    try mesh.settle(one, other)
    for device in first..<first + stale {
      _ = try mesh.at(device) { try $0.write(ReportRequests.add(Workload.report(device)), now: $1) }
      try mesh.synchronise(one, device)
    }
    mesh.resetTraffic()
    try mesh.synchronise(one, other)
    let traffic = mesh.traffic
    try Measurement(
      bench: "digest", value: Double(traffic.bytesBeforeFrames), unit: "bytes", limit: 4096,
      note: "both ways with headers, wants and all, before the first missing frame arrived; "
        + "\(2 * incarnations * stale) logs, \(stale) stale; \(traffic.bytes) bytes until both "
        + "held everything"
    ).print()
    try Measurement(
      bench: "digest-round-trips", value: Double(traffic.crossingsBeforeFrames + 1) / 2,
      unit: "round trips", limit: 3,
      note: "from the first word until the first missing frame arrived; "
        + "\(Double(traffic.crossings) / 2) until both held everything"
    ).print()
  }
}
