internal import Foundation
internal import MusterNode
internal import MusterNode
internal import Synchronization

/// The collections, trackers and associations of this node, in a file of the home that only this
/// user can read.
final class ResourceStore: Sendable {
  /// Each change encodes and writes the whole file.
  static let mostBytes = 4 << 20

  private let file: PrivateFile
  private let resources: Mutex<Resources>

  /// - Parameter folder: the home, whose lock MUST be held.
  init(in folder: String) throws {
    file = PrivateFile(in: folder, name: "amazon-location.json")
    guard let data = try file.read() else {
      resources = Mutex(Resources())
      return
    }
    do {
      resources = Mutex(try JSONDecoder().decode(Resources.self, from: data))
    } catch {
      throw PrivateFileFault(
        "\(file.path) is damaged: restore it, or delete it and create the trackers and "
          + "collections again")
    }
  }

  var current: Resources { resources.withLock { $0 } }

  /// Changes the resources and stores them; if they cannot be stored or take more than
  /// `mostBytes`, nothing changes.
  func change<Result: Sendable>(
    _ body: (inout Resources) throws(ServiceFault) -> Result
  ) throws(ServiceFault) -> Result {
    try resources.withLock { resources throws(ServiceFault) in
      var changed = resources
      let result = try body(&changed)
      guard changed != resources else { return result }
      do {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(changed)
        guard data.count <= Self.mostBytes else {
          throw ServiceFault(
            .quotaExceeded,
            "the trackers, collections, tags and associations of this node take too much space: "
              + "delete some first")
        }
        try file.write(data)
      } catch let fault as ServiceFault {
        throw fault
      } catch {
        throw ServiceFault(.unavailable, "\(error)")
      }
      resources = changed
      return result
    }
  }
}
