internal import Foundation
internal import MusterInterchange
internal import MusterNode
internal import MusterNode

/// The access keys of a node: a file of its home that only this user can read. The node reads it at
/// each request, so that revoking a key takes effect at once.
public struct AccessKeyFile: Sendable {
  private static let most = 256
  private let file: PrivateFile

  /// - Parameter folder: the home.
  public init(in folder: String) { file = PrivateFile(in: folder, name: "access-keys.json") }

  /// Returns the keys by id; none without a file.
  public func read() throws -> [AccessKey] {
    guard let data = try file.read() else { return [] }
    let json = try JSON.read(Array(data))
    guard let keys = json.elements?.map(AccessKey.init), !keys.contains(nil) else {
      throw PrivateFileFault(
        "\(file.path) is damaged: restore it, or delete it and create the keys again")
    }
    return keys.compactMap(\.self)
  }

  /// Adds a key.
  public func add(_ key: AccessKey) throws {
    try file.withLock {
      let keys = try read()
      guard keys.count < Self.most else {
        throw PrivateFileFault("too many access keys: revoke one first")
      }
      try write(keys + [key])
    }
  }

  /// Revokes a key.
  public func revoke(_ id: String) throws {
    try file.withLock {
      let keys = try read()
      guard keys.contains(where: { $0.id == id }) else {
        throw PrivateFileFault("there is no access key \(id)")
      }
      try write(keys.filter { $0.id != id })
    }
  }

  private func write(_ keys: [AccessKey]) throws {
    let sorted = keys.sorted { $0.id < $1.id }
    try file.write(Data((JSON.array(sorted.map(\.json)).text + "\n").utf8))
  }
}
