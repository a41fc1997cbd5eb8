import ArgumentParser
import CSodium
import Foundation
import MusterGeo
import MusterModel

/// Many devices among many fences: each position decided at once, as a node decides its own.
struct GeofenceBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geofence",
    abstract: "Positions decided, one by one in order, beside shapely a thousand at a time.",
    discussion: """
      A folder holds fences.geojson (Polygons of one ring with a property "id") and positions.csv \
      (device,t_ms,lon,lat). Without one, fences and positions are drawn. A device starts outside \
      of everything. The sha256 is of the transitions t_ms,device,fence,ENTER|EXIT, in order.
      """)

  @Argument(help: "The folder.")
  var directory: String?

  @Option(help: "Where to write the transitions, in order.")
  var out: String?

  @Option(help: "Fences to draw.")
  var fences = 10_000

  @Option(help: "Devices to draw.")
  var devices = 1000

  @Option(help: "Positions to draw.")
  var positions = 1_000_000

  @Option var rounds = 5

  @Flag(name: .customLong("no-peer"), help: "Leave shapely out.")
  var isWithoutPeer = false

  func run() throws {
    let workload =
      try directory.map { try GeofenceWorkload(folder: $0) }
      ?? GeofenceWorkload(fences: fences, devices: devices, positions: positions, seed: 1)
    guard !workload.samples.isEmpty else { throw BenchFault("there are no positions") }
    let watched = workload.underWatch()
    var (ours, theirs): ([Double], [Double]) = ([], [])
    var events: [GeofenceEvent] = []
    for _ in 0..<max(1, rounds) {
      let (result, elapsed) = timed { Self.decide(workload, fences: watched) }
      ours.append(Double(workload.samples.count) / elapsed.processorSeconds)
      events = result
      if let directory, !isWithoutPeer, let peer = try ShapelyPeer.run(folder: directory) {
        theirs.append(peer)
      }
    }
    let lines = GeofenceEvent.lines(of: events)
    if let out { try lines.write(to: URL(filePath: out)) }
    let peer = theirs.isEmpty ? "" : "; limit: shapely, a tick of positions at a time"
    try Measurement(
      bench: "geofence", value: ours.median, unit: "positions/s",
      limit: theirs.isEmpty ? nil : theirs.median,
      note: "\(workload.fences.count) fences, \(workload.devices) devices, "
        + "\(workload.samples.count) positions, \(events.count) transitions, "
        + "sha256 \(Self.sha256(of: lines))\(peer)"
    ).print()
  }

  /// Returns the results of each position, in the order of the positions. The fence index is built
  /// again.
  private static func decide(
    _ workload: GeofenceWorkload, fences: [FenceUnderWatch]
  ) -> [GeofenceEvent] {
    let index = FenceIndex(fences)
    var detectors = [CrossingDetector](repeating: CrossingDetector(), count: workload.devices)
    var events: [GeofenceEvent] = []
    for sample in workload.samples {
      for transition in detectors[sample.device].observe(sample.fix, fences: index) {
        events.append(GeofenceEvent(device: sample.device, transition: transition))
      }
    }
    return events
  }

  private static func sha256(of data: Data) -> String {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let bytes = [UInt8](data)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return Hex.encode(digest)
  }
}

/// One line of what came out.
private struct GeofenceEvent {
  let device: Int
  let fence: UInt64
  let time: Int64
  let type: CrossingType

  init(device: Int, transition: Transition) {
    self.device = device
    fence = transition.fence.raw.low
    time = transition.fix.sampleTime.milliseconds
    type = transition.type
  }

  /// By time, device and fence.
  static func lines(of events: [GeofenceEvent]) -> Data {
    let ordered = events.sorted {
      ($0.time, $0.device, $0.fence) < ($1.time, $1.device, $1.fence)
    }
    var text = ""
    for event in ordered {
      text += "\(event.time),\(event.device),\(event.fence),\(event.type.name)\n"
    }
    return Data(text.utf8)
  }
}
