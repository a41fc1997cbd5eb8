internal import Foundation
internal import MusterModel

/// The devices that programs registered for notices of Cognito Sync, with the data sets that they
/// follow: settings of this node.
///
/// A notice is sent in the event stream whose subscription is the id of the device, and to the
/// webhook whose name is its token.
public struct SyncDevices: Sendable {
  /// Devices of one user; the one registered longest ago makes room for another.
  static let mostPerUser = 64
  /// Devices of all users, likewise.
  static let most = 1024
  static let mostDatasets = 64

  struct Device: Codable, Hashable, Sendable, Redacted {
    let user: String
    let platform: String
    let token: String
    /// A number that grows with each registration.
    var order: UInt64
    var datasets: Set<String> = []
  }

  struct Settings: Codable, Hashable, Sendable {
    var registrations: UInt64 = 0
    /// By id.
    var devices: [String: Device] = [:]
  }

  private let store: SettingsStore<Settings>

  /// Reads the devices of this node. Throws if their file is damaged.
  ///
  /// - Parameter folder: the home, whose lock MUST be held.
  init(in folder: String) throws {
    store = try SettingsStore(
      in: folder, name: "cognito-sync.json", empty: Settings(),
      remedy: "let the programs register again")
  }

  /// Returns whether a device follows a data set; nil for an unknown device.
  public func follows(_ device: String, _ dataset: String) -> Bool? {
    store.current.devices[device].map { $0.datasets.contains(dataset) }
  }

  /// Returns the data sets that the devices with a token follow; nil without such a device.
  public func datasets(ofToken token: String) -> Set<String>? {
    let devices = store.current.devices.values.filter { $0.token == token }
    return devices.isEmpty ? nil : devices.reduce(into: []) { $0.formUnion($1.datasets) }
  }

  /// Registers a device, and returns its id: the same for the same platform and token.
  func register(
    _ user: UserID, platform: String, token: String
  ) throws(ServiceFault) -> String {
    try store.change { settings in
      settings.registrations += 1
      let known = settings.devices.first {
        $0.value.user == "\(user)" && $0.value.platform == platform && $0.value.token == token
      }
      if let known {
        settings.devices[known.key]?.order = settings.registrations
        return known.key
      }
      Self.makeRoom(for: "\(user)", in: &settings.devices)
      let id = UUID().uuidString.lowercased()
      settings.devices[id] = Device(
        user: "\(user)", platform: platform, token: token, order: settings.registrations)
      return id
    }
  }

  private static func makeRoom(for user: String, in devices: inout [String: Device]) {
    let own = devices.filter { $0.value.user == user }
    let crowded = own.count >= mostPerUser ? own : devices.count >= most ? devices : [:]
    if let oldest = crowded.min(by: { $0.value.order < $1.value.order }) {
      devices[oldest.key] = nil
    }
  }

  /// Changes what a device of a user follows.
  func change(
    _ device: String, of user: UserID, _ body: (inout Set<String>) -> Void
  ) throws(ServiceFault) {
    try store.change { settings throws(ServiceFault) in
      guard var found = settings.devices[device], found.user == "\(user)" else {
        throw .notFound("the device", device)
      }
      body(&found.datasets)
      guard found.datasets.count <= Self.mostDatasets else {
        throw .invalid("DatasetName", "is one too many: a device follows \(Self.mostDatasets)")
      }
      settings.devices[device] = found
    }
  }
}
