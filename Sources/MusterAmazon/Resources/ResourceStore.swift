internal import Foundation
internal import MusterNode
internal import Synchronization

/// Settings of this node for programs, in a file of the home that only this user can read.
final class SettingsStore<Settings: Codable & Hashable & Sendable>: Sendable {
  private let file: PrivateFile
  private let settings: Mutex<Settings>

  /// - Parameters:
  ///   - folder: the home, whose lock MUST be held.
  ///   - empty: the settings without a file.
  ///   - remedy: what to do about a damaged file, besides restoring it.
  init(in folder: String, name: String, empty: Settings, remedy: String) throws {
    file = PrivateFile(in: folder, name: name)
    guard let data = try file.read() else {
      settings = Mutex(empty)
      return
    }
    do {
      settings = Mutex(try JSONDecoder().decode(Settings.self, from: data))
    } catch {
      throw PrivateFileFault("\(file.path) is damaged: restore it, or delete it and \(remedy)")
    }
  }

  var current: Settings { settings.withLock { $0 } }

  /// Changes the settings and stores them; if they cannot be stored or take more than
  /// `SettingsBounds.bytes`, nothing changes.
  func change<Result: Sendable>(
    _ body: (inout Settings) throws(ServiceFault) -> Result
  ) throws(ServiceFault) -> Result {
    try settings.withLock { settings throws(ServiceFault) in
      var changed = settings
      let result = try body(&changed)
      guard changed != settings else { return result }
      do {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(changed)
        guard data.count <= SettingsBounds.bytes else {
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
      settings = changed
      return result
    }
  }
}

/// What one file of settings may take.
enum SettingsBounds {
  /// Each change encodes and writes the whole file.
  static let bytes = 4 << 20
}

/// The collections, trackers and associations of this node.
typealias ResourceStore = SettingsStore<Resources>

extension SettingsStore<Resources> {
  /// - Parameter folder: the home, whose lock MUST be held.
  convenience init(in folder: String) throws {
    try self.init(
      in: folder, name: "amazon-location.json", empty: Resources(),
      remedy: "create the trackers and collections again")
  }
}
