import Foundation
import MusterTestKit

extension Valley {
  /// Adds a second device with the same keys and database, like a restored snapshot of a machine:
  /// the sentinel does not detect it.
  mutating func copy(_ name: String, as other: String, in folder: TemporaryFolder) throws {
    let laptop = laptops[index(name)]
    let path = folder.database(other)
    try switchOff(name)
    for ending in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(
      atPath: (laptop.path ?? "") + ending)
    {
      try FileManager.default.copyItem(atPath: (laptop.path ?? "") + ending, toPath: path + ending)
    }
    try switchOn(name)
    try switchOn(
      laptop.credentials, as: other, store: Self.store(at: path, of: laptop.credentials),
      path: path)
    let others = laptops.dropLast().map(\.endpoint)
    try at(other) { try $0.contact(others, now: $1) }
    hasForks = true
  }
}
