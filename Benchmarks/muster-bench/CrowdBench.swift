import ArgumentParser
import Foundation
import MusterAttackers
import MusterModel
import MusterReplica
import MusterStore

/// Opening the database of a large operation: many devices, four logs each, receipts by several
/// commanders for all of them.
struct CrowdBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crowd",
    abstract: "A replica of a large operation opens its database, in a process of its own.")

  @Option(help: "Devices, each with a log in every lane.")
  var devices = 1000

  @Option(help: "Commanders, each with a receipt for every log.")
  var commanders = 3

  func run() throws {
    try withScratchFolder { folder in
      progress("crowd: \(devices) devices, \(commanders) commanders")
      var mesh = try Mesh(seed: 9, founderAt: folder + "/bench.sqlite")
      var heads: [Head] = []
      for number in 0..<devices {
        try mesh.join(at: nil, callsign: "Device \(number)", role: .member)
        for lane in Lane.allCases {
          _ = try mesh.at(1) { try MaliciousMember.openLogs(&$0, 1, lane: lane, now: $1) }
        }
        heads += try mesh.copyLogs(from: 1, to: 0)
        mesh.removeLast()
      }
      for number in 0..<commanders {
        try mesh.join(at: nil, callsign: "Commander \(number)", role: .command)
        let records = mesh.at(1) { replica, _ in MaliciousMember.receipts(&replica, for: heads) }
        try mesh.keep(records, at: 0)
        mesh.removeLast()
      }
      let keyFile = try mesh.founder.keyFile(
        passphrase: nil, seed: [UInt8](repeating: 0, count: 32))
      try Data(keyFile).write(to: URL(fileURLWithPath: folder + "/device.key"))
      try mesh.close(0)
      let lines = try output(
        of: CommandLine.arguments[0], ["coldstart-open", "--folder", folder, "--bench", "crowd"])
      try FileHandle.standardOutput.write(contentsOf: lines)
    }
  }
}

extension Mesh {
  /// Copies the logs of one replica's own device into another's database, as if it held them; the
  /// heads of all but the control logs.
  fileprivate func copyLogs(from source: Int, to target: Int) throws -> [Head] {
    let (from, to) = (store(source), store(target))
    var batch = Batch()
    var heads: [Head] = []
    for log in try from.logs() where try to.log(log.log) == nil {
      for frame in try from.frames(log: log.log, from: 0, maxBytes: 1 << 20, maxFrames: 64) {
        batch.frames.append(
          HeldFrame(
            frame: frame, opening: frame.sequence == 0 ? log.opening : nil, application: .nothing))
      }
      heads.append(log.head)
    }
    _ = try to.commit(batch)
    return heads
  }

  fileprivate func keep(_ records: [LatestRecord], at target: Int) throws {
    var batch = Batch()
    batch.records = records
    _ = try store(target).commit(batch)
  }
}
