import ArgumentParser
import Foundation
import MusterCrypto
import MusterModel
import MusterNode
import MusterReplica
import MusterStore
import MusterTransport

/// Laptops of many operations at the instances of an archive, for `Benchmarks/archive/load.py`.
///
///     homes for the instances ─▶ "homes" ─▶ the script starts them ─▶ a line ─▶ all connect ─▶
///     positions every 20 s, a report now and then ─▶ lags
struct UplinkBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uplinks",
    abstract: "Laptops of many operations at the instances of an archive.",
    discussion: "Run it by Benchmarks/archive/load.py.")

  @Option(help: "The folder in which each instance gets a folder of homes, 0, 1 and so on.")
  var folder: String

  @Option(help: "Operations.")
  var operations = 1

  @Option(help: "Devices of each operation.")
  var devices = 50

  @Option(help: "The ports of the instances on 127.0.0.1.")
  var port: [Int]

  @Option(help: "Seconds of the measurement, after all have connected.")
  var seconds = 60

  @Option(help: "Seconds between two positions of a device; 0 for none.")
  var every = 20.0

  @Option(help: "Reports during the measurement, in the first operation.")
  var reports = 5

  func validate() throws {
    guard operations > 0, devices > 1, !port.isEmpty else {
      throw ValidationError("at least one operation, two devices and one port")
    }
  }

  func run() async throws {
    var devices: [[LoadDevice]] = []
    for number in 0..<operations {
      devices.append(try Self.operation(number, of: self))
      progress("operation \(number + 1) of \(operations) is founded")
    }
    say(#"{"event":"homes"}"#)
    _ = readLine()
    let all = devices.flatMap(\.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let begun = ContinuousClock.now
      for device in all { group.addTask { await device.run() } }
      let people = self.devices
      try await settle("all are connected", all) { await $0.isConnected }
      try await settle("the observers know everybody", devices.map { $0[1] }) {
        try await $0.knows(people)
      }
      let joining = begun.duration(to: .now).components.seconds
      say(#"{"event":"connected","devices":\#(all.count),"seconds":\#(joining)}"#)
      try await measure(devices, in: &group)
      group.cancelAll()
    }
  }

  private func settle(
    _ what: String, _ devices: [LoadDevice], _ holds: (LoadDevice) async throws -> Bool
  ) async throws {
    var waiting = devices
    var round = 0
    while !waiting.isEmpty {
      round += 1
      var rest: [LoadDevice] = []
      for device in waiting where try await !holds(device) { rest.append(device) }
      waiting = rest
      if round % 10 == 0 { progress("\(what): \(waiting.count) to go") }
      try await Task.sleep(for: .milliseconds(waiting.isEmpty ? 0 : 500))
    }
  }

  private func measure(
    _ devices: [[LoadDevice]], in group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    let count = self.devices
    if every > 0 {
      for operation in devices {
        for device in operation {
          let wait = every * Double(device.number) / Double(count)
          group.addTask { [every] in try await Self.wander(device, after: wait, every: every) }
        }
      }
      // Everybody has been somewhere once.
      try await Task.sleep(for: .seconds(every))
    }
    for operation in devices { await operation[1].forgetLags() }
    var written: [(id: RowID, at: Timestamp)] = []
    for _ in 0..<max(1, reports) {
      if reports > 0 { written.append(try await devices[0][0].report()) }
      try await Task.sleep(for: .seconds(Double(seconds) / Double(max(1, reports))))
    }
    var lags: [Int64] = []
    for operation in devices { lags += await operation[1].lags }
    let expected = every > 0 ? Double(operations * (count - 1) * seconds) / every : 0
    say(
      """
      {"event":"positions","expected":\(Int(expected)),"seen":\(lags.count),\
      "p50":\(lags.quantile(0.5)),"p99":\(lags.quantile(0.99)),"max":\(lags.max() ?? 0)}
      """)
    var spans: [Int64] = []
    var missing = 0
    for report in written {
      for device in devices[0].dropFirst() {
        guard let time = await device.arrivals[report.id] else {
          missing += 1
          continue
        }
        spans.append(time.milliseconds - report.at.milliseconds)
      }
    }
    say(
      """
      {"event":"reports","arrivals":\(spans.count),"missing":\(missing),\
      "p50":\(spans.quantile(0.5)),"p99":\(spans.quantile(0.99)),"max":\(spans.max() ?? 0)}
      """)
  }

  private static func wander(
    _ device: LoadDevice, after wait: Double, every: Double
  ) async throws {
    let clock = ContinuousClock()
    var due = clock.now + .seconds(wait)
    for step in 0... {
      try await clock.sleep(until: due)
      if let place = Coordinate(
        latitude: 46 + Double(step % 100) / 1000, longitude: 14 + Double(device.number) / 1000)
      {
        await device.move(to: place)
      }
      due += .seconds(every)
    }
  }

  // MARK: Enrolment

  /// Founds an operation, with its laptops in this process and a home for each instance on disk.
  private static func operation(_ number: Int, of bench: UplinkBench) throws -> [LoadDevice] {
    var seeds = DeterministicRandom(
      seed: [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: 30))
    let genesis = Genesis(
      operationName: "load \(number)", seed: seeds.bytes(32), now: SystemClock.wall)
    let store = try Store.inMemory()
    try genesis.store(in: store)
    var founder = try Replica(
      store: store, credentials: genesis.credentials, start: .startsIncarnation(above: 0),
      seed: seeds.bytes(32), systemBoot: [0], now: SystemClock.reading)
    _ = try founder.rotateEpoch(now: SystemClock.reading)
    _ = try founder.write(PersonRequests.setCallsign("Device 0"), now: SystemClock.reading)
    for instance in bench.port.indices {
      let path = "\(bench.folder)/\(instance)"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let home = NodeHome.locate(
        home: "\(path)/\(number)", keys: nil, environment: ProcessInfo.processInfo.environment)
      let request = try Founding.request(
        callsign: "Archive \(instance)", home: home, passphrase: nil)
      let admitted = try founder.admit(request: request, role: .archive, now: SystemClock.reading)
      _ = try Founding.join(grant: admitted.grant, home: home, confirm: { _ in }) { [] }
    }
    var members: [LoadDevice.Handover] = []
    for index in 1..<bench.devices {
      let enrolment = Enrolment(seed: seeds.bytes(32))
      let request = try enrolment.request(
        callsign: "Device \(index)", passphrase: nil, seed: seeds.bytes(32)
      ).request
      let admitted = try founder.admit(request: request, role: .member, now: SystemClock.reading)
      let (credentials, keys) = try enrolment.join(grant: admitted.grant)
      var member = try Replica(
        store: try .inMemory(), credentials: credentials, start: .startsIncarnation(above: 0),
        seed: seeds.bytes(32), systemBoot: [UInt8(index & 255), UInt8(index >> 8)],
        now: SystemClock.reading)
      _ = try member.keep(keys, now: SystemClock.reading)
      _ = try member.write(
        PersonRequests.setCallsign("Device \(index)"), now: SystemClock.reading)
      members.append(LoadDevice.Handover(replica: member))
    }
    return try ([LoadDevice.Handover(replica: founder)] + members).enumerated().map {
      index, replica in
      let port = bench.port[index % bench.port.count]
      return LoadDevice(
        replica, number: index, at: try UplinkTarget("https://127.0.0.1:\(port)"),
        isObserver: index == 1)
    }
  }

  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// Why the bench ends.
struct ExitStatus: Error, CustomStringConvertible {
  let description: String
}

extension [Int64] {
  /// Returns the value below which a share of the values is; 0 without values.
  fileprivate func quantile(_ share: Double) -> Int64 {
    isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }
}
