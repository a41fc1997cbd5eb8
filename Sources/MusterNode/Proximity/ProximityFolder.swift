internal import Foundation
internal import MusterProximity
internal import MusterReplica

/// The sealed files of the proximity log, below the home's data: one for each interval, and one for
/// the own keys. They are never replicated.
struct ProximityFolder: Sendable {
  private let files: KeyFolder
  private let credentials: Credentials
  private static let prefix = "interval-"
  private static let ownName = "own"

  init(_ home: NodeHome, credentials: Credentials) {
    files = KeyFolder(path: home.dataDirectory + "/proximity")
    self.credentials = credentials
  }

  /// The stored intervals, oldest first.
  func intervals() throws -> [ProximityInterval] {
    guard FileManager.default.fileExists(atPath: files.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: files.path)
      .filter { $0.hasPrefix(Self.prefix) }
      .compactMap { UInt32($0.dropFirst(Self.prefix.count)) }
      .map { ProximityInterval(number: $0) }
      .sorted()
  }

  /// Returns a stored log; nil if there is none, or if it is damaged.
  func log(of interval: ProximityInterval) throws(HomeError) -> IntervalLog? {
    guard let text = try text(Self.name(of: interval)) else { return nil }
    do {
      let log = try IntervalLog(encoded: text)
      return log.interval == interval ? log : nil
    } catch {
      return nil
    }
  }

  func store(_ log: IntervalLog) throws(HomeError) {
    try replace(Self.name(of: log.interval), log.encoded)
  }

  /// Deletes the logs of older intervals.
  func deleteAll(before oldest: ProximityInterval) throws {
    for interval in try intervals() where interval < oldest {
      try FileManager.default.removeItem(atPath: files.path + "/" + Self.name(of: interval))
    }
  }

  /// Returns the settings and keys of this device; nil before they are stored, or if they are
  /// damaged.
  func own() throws(HomeError) -> ProximityOwn? {
    guard let text = try text(Self.ownName) else { return nil }
    do {
      return try ProximityOwn(encoded: text)
    } catch {
      return nil
    }
  }

  func store(_ own: ProximityOwn) throws(HomeError) { try replace(Self.ownName, own.encoded) }

  private static func name(of interval: ProximityInterval) -> String {
    prefix + "\(interval.number)"
  }

  private func text(_ name: String) throws(HomeError) -> [UInt8]? {
    guard files.contains(name) else { return nil }
    return credentials.opened(try files.read(name), as: "proximity " + name)
  }

  private func replace(_ name: String, _ text: [UInt8]) throws(HomeError) {
    try files.replace(
      name, credentials.sealed(text, as: "proximity " + name, seed: systemSeed()))
  }
}
