import ArgumentParser
import MusterModel
import MusterReplica

/// Devices admitted by file, one after the other, by one commander.
struct AdmitBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admit",
    abstract: "Admits devices by file; the cost of the last beside that of the first.",
    discussion: "Each admission is a signed control frame in a commit of its own. Medians of the "
      + "first and of the last tenth.")

  private static let limitMilliseconds = 5.0

  @Option(help: "Devices to admit.")
  var devices = 1000

  func run() throws {
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 9, founderAt: folder + "/muster.sqlite")
      var taken: [Double] = []
      for number in 0..<max(10, devices) {
        if number % 100 == 0 { progress("admit: \(number) of \(devices)") }
        let request = try mesh.request(callsign: "Device \(number)")
        taken.append(
          try timed {
            _ = try mesh.at(0) { try $0.admit(request: request, role: .member, now: $1) }
          }.elapsed.wallSeconds * 1000)
      }
      let tenth = taken.count / 10
      let (first, last) = (Array(taken.prefix(tenth)).median, Array(taken.suffix(tenth)).median)
      try Measurement(
        bench: "admit", value: last, unit: "ms", limit: Self.limitMilliseconds,
        note: "the last of \(taken.count) devices, by the clock; the first took \(first) ms"
      ).print()
    }
  }
}
