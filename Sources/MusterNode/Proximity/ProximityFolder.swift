internal import Foundation
internal import MusterModel
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

  /// Deletes the logs of intervals outside a range. A file that cannot be deleted does not keep the
  /// others: the last failure is thrown at the end.
  func keep(only range: ClosedRange<ProximityInterval>) throws {
    var failure: (any Error)?
    for interval in try intervals() where !range.contains(interval) {
      do {
        try FileManager.default.removeItem(atPath: files.path + "/" + Self.name(of: interval))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the settings and keys of this device; nil before they are stored. Throws if the file
  /// is unreadable or damaged.
  func own() throws -> ProximityOwn? {
    let sealed: [UInt8]
    do {
      sealed = try files.read(Self.ownName)
    } catch HomeError.missing {
      return nil
    }
    guard let text = opened(sealed, Self.ownName) else { throw DecodingFault.invalid("seal") }
    return try ProximityOwn(encoded: text)
  }

  func store(_ own: ProximityOwn) throws(HomeError) { try replace(Self.ownName, own.encoded) }

  private static func name(of interval: ProximityInterval) -> String {
    prefix + "\(interval.number)"
  }

  private func text(_ name: String) throws(HomeError) -> [UInt8]? {
    guard files.contains(name) else { return nil }
    return opened(try files.read(name), name)
  }

  private func opened(_ sealed: [UInt8], _ name: String) -> [UInt8]? {
    credentials.opened(sealed, as: "proximity " + name)
  }

  private func replace(_ name: String, _ text: [UInt8]) throws(HomeError) {
    try files.replace(
      name, credentials.sealed(text, as: "proximity " + name, seed: systemSeed()))
  }
}
