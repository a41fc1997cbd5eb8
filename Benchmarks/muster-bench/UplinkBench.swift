import ArgumentParser
import Foundation
import MusterModel
import MusterNode

/// Devices of many operations at the instances of an archive, for `Benchmarks/archive/load.py`.
///
///     homes for the instances ─▶ "homes" ─▶ the script starts them ─▶ a line ─▶
///     two whole replicas of each operation agree ─▶ all sessions connect and agree ─▶ "connected"
///     ─▶ positions every 20 s ─▶ "positions" ─▶ a report now and then ─▶ "reports"
struct UplinkBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uplinks",
    abstract: "Devices of many operations at the instances of an archive.",
    discussion: "Run it by Benchmarks/archive/load.py.")

  @Option(help: "The folder in which each instance gets a folder of homes, 0, 1 and so on.")
  var folder: String

  @Option(help: "Operations.")
  var operations = 1

  @Option(help: "Devices of each operation, at least two.")
  var devices = 50

  @Option(help: "The ports of the instances on 127.0.0.1.")
  var port: [Int]

  @Option(help: "Seconds of the measurement, after all have connected.")
  var seconds = 60

  @Option(help: "Seconds between two positions of a device; 0 for none.")
  var every = 20.0

  @Option(help: "The most devices that connect in a second; 0 for all at once.")
  var connecting = 0

  @Option(help: "Reports during the measurement, in the first operation.")
  var reports = 5

  @Flag(help: "The second device writes reports as fast as it can.")
  var flood = false

  func validate() throws {
    guard operations > 0, devices > 1, !port.isEmpty else {
      throw ValidationError("at least one operation, two devices and one port")
    }
  }

  func run() async throws {
    // Each session needs a file descriptor.
    ProcessLimits.permitOpenFiles()
    var all: [LoadOperation] = []
    let founding = ContinuousClock.now
    for number in 0..<operations { all.append(try LoadOperation(number: number, of: self)) }
    let enrolment = founding.duration(to: .now) / .seconds(1)
    say(#"{"event":"homes","seconds":\#(enrolment)}"#)
    _ = readLine()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for operation in all {
        group.addTask { await operation.author.run() }
        group.addTask { await operation.observer.run() }
      }
      try await settle("the whole replicas agree", all) { await $0.agrees() }
      // What the instances still publish after that, such as receipts, all sessions request.
      try await Task.sleep(for: .seconds(5))
      try await settle("the whole replicas agree", all) { await $0.agrees() }
      var sessions: [[LoadSession]] = []
      for operation in all {
        sessions.append(await operation.sessions(arePublishing: every > 0))
      }
      let begun = ContinuousClock.now
      for (number, session) in sessions.joined().enumerated() {
        if connecting > 0, number > 0, number.isMultiple(of: connecting) {
          try await Task.sleep(for: .seconds(1))
        }
        group.addTask { await session.run() }
      }
      try await settle("all are connected", sessions.flatMap(\.self)) { await $0.isConnected }
      let joining = begun.duration(to: .now) / .seconds(1)
      for (operation, sessions) in zip(all, sessions) {
        try await settle("all hold the same", sessions) {
          let root = await operation.author.root
          return await $0.root == root
        }
      }
      let settling = begun.duration(to: .now) / .seconds(1)
      say(
        """
        {"event":"connected","devices":\(operations * devices),"seconds":\(joining),\
        "settled":\(settling)}
        """)
      try await measure(all, sessions, in: &group)
      group.cancelAll()
    }
  }

  private func settle<Device>(
    _ what: String, _ devices: [Device], _ holds: (Device) async throws -> Bool
  ) async throws {
    var waiting = devices
    var round = 0
    while !waiting.isEmpty {
      round += 1
      var rest: [Device] = []
      for device in waiting where try await !holds(device) { rest.append(device) }
      waiting = rest
      if round % 20 == 0 { progress("\(what): \(waiting.count) to go") }
      try await Task.sleep(for: .milliseconds(waiting.isEmpty ? 0 : 250))
    }
  }

  // MARK: Measurement

  private func measure(
    _ all: [LoadOperation], _ sessions: [[LoadSession]],
    in group: inout ThrowingTaskGroup<Void, any Error>
  ) async throws {
    if every > 0 {
      for (operation, sessions) in zip(all, sessions) {
        let people: [any LoadPerson] = [operation.author, operation.observer] + sessions
        for (number, person) in people.enumerated() {
          let wait = every * Double(number) / Double(people.count)
          group.addTask { [every] in
            try await Self.wander(person, number: number, after: wait, every: every)
          }
        }
      }
      // Everybody has been somewhere once.
      try await Task.sleep(for: .seconds(every))
    }
    for operation in all { await operation.observer.forgetLags() }
    if flood { group.addTask { try await Self.flood(from: all[0].observer) } }
    var written: [LoadDevice.Written] = []
    var ages: [Int64] = []
    for second in 0..<seconds {
      if reports > 0, second.isMultiple(of: max(1, seconds / reports)), written.count < reports {
        written.append(try await all[0].author.report())
      }
      for operation in all { ages += await operation.observer.ages() }
      try await Task.sleep(for: .seconds(1))
    }
    var lags: [Int64] = []
    for operation in all { lags += await operation.observer.lags }
    let expected = every > 0 ? Double(operations * (devices - 1) * seconds) / every : 0
    say(
      """
      {"event":"positions","expected":\(Int(expected)),"seen":\(lags.count),\
      "p50":\(lags.quantile(0.5)),"p99":\(lags.quantile(0.99)),"max":\(lags.max() ?? 0),\
      "age50":\(ages.quantile(0.5)),"age99":\(ages.quantile(0.99)),"oldest":\(ages.max() ?? 0)}
      """)
    await show(written, at: all[0].observer, sessions)
  }

  /// Prints how long the reports took to each device of the first operation.
  private func show(
    _ written: [LoadDevice.Written], at observer: LoadDevice, _ sessions: [[LoadSession]]
  ) async {
    var spans: [Int64] = []
    var late: [(span: Int64, device: Int, report: Int)] = []
    var missing = 0
    let seen = await observer.arrivals
    var arrivals = [written.map { seen[$0.id] }]
    for session in sessions[0] {
      let seen = await session.arrivals
      arrivals.append(written.map { seen[$0.frame] })
    }
    for (index, times) in arrivals.enumerated() {
      for (number, (report, time)) in zip(written, times).enumerated() {
        guard let time else {
          missing += 1
          continue
        }
        let span = time.milliseconds - report.at.milliseconds
        spans.append(span)
        if span > 1000 { late.append((span, index + 1, number)) }
      }
    }
    for each in late.sorted(by: { $0.span > $1.span }).prefix(10) {
      progress("device \(each.device) had report \(each.report) after \(each.span) ms")
    }
    var (lost, unserved) = (0, 0)
    for session in sessions.joined() {
      if await !session.isConnected { lost += 1 }
      unserved += await session.unserved
    }
    say(
      """
      {"event":"reports","arrivals":\(spans.count),"missing":\(missing),\
      "p50":\(spans.quantile(0.5)),"p99":\(spans.quantile(0.99)),"max":\(spans.max() ?? 0),\
      "disconnected":\(lost),"unserved":\(unserved)}
      """)
  }

  private static func wander(
    _ person: any LoadPerson, number: Int, after wait: Double, every: Double
  ) async throws {
    let clock = ContinuousClock()
    var due = clock.now + .seconds(wait)
    for step in 0... {
      try await clock.sleep(until: due)
      if let place = Coordinate(
        latitude: 46 + Double(step % 100) / 1000, longitude: 14 + Double(number % 1000) / 1000)
      {
        await person.move(to: place)
      }
      due += .seconds(every)
    }
  }

  /// Writes reports as fast as one device can, until it is cancelled.
  private static func flood(from device: LoadDevice) async throws {
    var count = 0
    defer { progress("the flood wrote \(count) reports") }
    while !Task.isCancelled {
      _ = try await device.report()
      count += 1
      await Task.yield()
    }
  }

  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// A device of a load test that publishes positions.
protocol LoadPerson: Sendable {
  func move(to position: Coordinate) async
}

extension LoadDevice: LoadPerson {}
extension LoadSession: LoadPerson {}

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
