import ArgumentParser
import Foundation
import MusterCrypto
import MusterModel
import MusterProximity

/// What a full proximity log costs: its size on disk, and the time to compare it with all keys.
struct ProximityBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proximity",
    abstract: "Megabytes of 1,000 devices for 14 days; seconds to compare them with 448 keys.")

  @Option(help: "Devices nearby all the time, each with another identifier every ten minutes.")
  var devices = 1000

  @Option(help: "Match runs, of which the slowest counts.")
  var rounds = 3

  private static let megabytes = 50.0
  private static let seconds = 2.0
  /// 32 notices of 14 days each: the most that an operation has.
  private static let notices = 32
  /// Four hours after midnight: the identifiers of the day before no longer count.
  private static let today = ProximityInterval(
    number: 2_642_976 + 15 * ProximityInterval.perDay + 24)

  func validate() throws {
    guard (notices...ProximityLimits.identifiersPerInterval).contains(devices), rounds > 0 else {
      throw ValidationError(
        "--devices is from \(notices) to \(ProximityLimits.identifiersPerInterval)")
    }
  }

  private var notices: Int { Self.notices }

  func run() throws {
    progress("proximity: \(devices) devices, \(ProximityLimits.days) days")
    try withScratchFolder { folder in
      var files = SealedFiles(folder)
      let keys = try dailyKeys()
      let (bytes, _) = try timed { try write(keys, to: &files) }
      try Measurement(
        bench: "proximity-log", value: Double(bytes) / 1e6, unit: "MB", limit: Self.megabytes,
        note: "\(files.count) sealed files of ten minutes, whole blocks of the disk"
      ).print()
      var runs: [Elapsed] = []
      for _ in 0..<rounds {
        let (found, elapsed) = try timed { try search(keys, in: files) }
        precondition(found == keys.count, "\(found) exposures of \(keys.count) days")
        runs.append(elapsed)
      }
      let processor = runs.map(\.processorSeconds).max() ?? 0
      try Measurement(
        bench: "proximity-match", value: runs.map(\.wallSeconds).max() ?? 0, unit: "s",
        limit: Self.seconds,
        note: "the slowest of \(rounds) runs with \(keys.count) keys, files read and decrypted; "
          + "\(Int(processor * 1000)) ms of processor time"
      ).print()
    }
  }

  /// One key for each notice and ended day.
  private func dailyKeys() throws -> [(key: DailyKey, notice: Int)] {
    var random = DeterministicRandom(seed: [UInt8](repeating: 30, count: 32))
    let first = ProximityInterval.oldestKept(at: Self.today).dayStart.number
    return (0..<notices).flatMap { notice in
      (0..<ProximityLimits.days).compactMap { day in
        let start = ProximityInterval(number: first + day * ProximityInterval.perDay)
        return DailyKey(bytes: random.bytes(DailyKey.byteCount), dayStart: start)
          .map { ($0, notice) }
      }
    }
  }

  /// Every person of a notice is one of the devices. Returns the bytes on disk.
  private func write(
    _ keys: [(key: DailyKey, notice: Int)], to files: inout SealedFiles
  ) throws -> Int {
    var random = DeterministicRandom(seed: [UInt8](repeating: 31, count: 32))
    for (key, _) in keys.prefix(Int(ProximityLimits.days)) {
      let persons = keys.filter { $0.key.dayStart == key.dayStart }.map(\.key)
      let identifiers = persons.map { $0.identifiers() }
      for offset in 0..<Int(ProximityInterval.perDay) {
        let interval = ProximityInterval(number: key.dayStart.number + UInt32(offset))
        var log = IntervalLog(interval)
        for device in 0..<devices {
          let identifier =
            device < persons.count ? identifiers[device][offset] : Bytes16(random.bytes(16))
          guard let identifier else { continue }
          for second in [0, 540] as [Int64] {
            try log.add(
              Sighting(
                identifier: identifier, name: device % 20 == 0 ? "Member \(device)" : "",
                rssi: -60,
                time: Timestamp(
                  milliseconds: interval.start.milliseconds + second * 1000 + Int64(device))))
          }
        }
        try files.write(log, nonce: random.nonce24())
      }
    }
    return try files.bytesOnDisk()
  }

  private func search(
    _ keys: [(key: DailyKey, notice: Int)], in files: SealedFiles
  ) throws -> Int {
    var match = ExposureMatch(now: Self.today)
    for (key, notice) in keys { try match.add(key, of: notice) }
    try files.forEach { match.search($0) }
    return match.exposures.count
  }
}

/// Interval logs as a node stores them: one sealed file each.
private struct SealedFiles {
  private let folder: String
  private let key: SealingKey
  private var names: [String] = []

  init(_ folder: String) {
    guard let key = SealingKey(bytes: [UInt8](repeating: 32, count: SealingKey.byteCount)) else {
      preconditionFailure("32 bytes are a key")
    }
    self.folder = folder
    self.key = key
  }

  var count: Int { names.count }

  mutating func write(_ log: IntervalLog, nonce: Nonce24) throws {
    let name = "interval-\(log.interval.number)"
    names.append(name)
    let body = key.sealBody(log.encoded, drawn: nonce, additionalData: Array(name.utf8))
    try Data(body).write(to: URL(filePath: "\(folder)/\(name)"))
  }

  func bytesOnDisk() throws -> Int {
    try names.reduce(0) { sum, name in
      let values = try URL(filePath: "\(folder)/\(name)")
        .resourceValues(forKeys: [.fileSizeKey])
      let block = 4096
      return sum + ((values.fileSize ?? 0) + block - 1) / block * block
    }
  }

  func forEach(_ body: (IntervalLog) -> Void) throws {
    for name in names {
      let sealed = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      guard let text = key.openBody(sealed, additionalData: Array(name.utf8)) else {
        preconditionFailure("\(name) does not open")
      }
      body(try IntervalLog(encoded: text))
    }
  }
}
