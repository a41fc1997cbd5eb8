import CDBus
import Foundation
import MusterModel
import MusterTestKit

@testable import MusterBluetooth

/// A private message bus, and bluetoothd as python3-dbusmock imitates it.
final class MockBluez {
  static var isInstalled: Bool {
    Installed.has("dbus-daemon")
      && Installed.hasFile(URL(filePath: "/usr/lib/python3/dist-packages/dbusmock"))
  }

  private static let program = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Bluetooth/mock_bluez.py")

  private let folder: TemporaryFolder
  private let bus: Child
  private var daemon: Child?
  private var starts = 0

  /// Starts the bus, without bluetoothd.
  init() async throws {
    folder = try TemporaryFolder()
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder.url.path)/bus</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
        </policy>
      </busconfig>
      """
    let file = folder.url.appending(path: "bus.conf")
    try Data(configuration.utf8).write(to: file)
    bus = try Child(
      URL(filePath: "/usr/bin/dbus-daemon"), ["--config-file=\(file.path)", "--nofork"],
      environment: Child.surroundings(home: folder.url.path), in: folder.url, name: "bus")
    let path = folder.url.path + "/bus"
    try await eventually("the bus listens") { FileManager.default.fileExists(atPath: path) }
  }

  var address: String { "unix:path=\(folder.url.path)/bus" }

  /// Starts bluetoothd.
  ///
  /// - Parameter words: an adapter, and how it differs.
  func start(_ words: String...) async throws {
    var environment = Child.surroundings(home: folder.url.path)
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
    starts += 1
    daemon = try Child(
      URL(filePath: "/usr/bin/python3"), ["-u", Self.program.path] + words,
      environment: environment, in: folder.url, name: "bluez-\(starts)")
    try await eventually("bluetoothd is ready") { try events("ready").count == 1 }
  }

  func stop() {
    daemon?.endNow()
    daemon = nil
  }

  deinit {
    daemon?.endNow()
    bus.endNow()
  }

  // MARK: What it received

  /// The events of a kind since the last start.
  func events(_ kind: String) throws -> [[String: Any]] {
    try (daemon?.written ?? "").split(separator: "\n").filter { $0.hasPrefix("{") }
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["event"] as? String == kind }
  }

  /// The properties of each advertisement that was registered.
  func registered() throws -> [[String: Any]] {
    try events("registered").compactMap { $0["properties"] as? [String: Any] }
  }

  // MARK: What it reports

  static func path(_ device: Int) -> String {
    "/org/bluez/hci0/dev_" + (0..<6).map { _ in "\(10 + device)" }.joined(separator: "_")
  }

  /// Reports a device for the first time.
  func add(_ device: Int, name: String = "Ben") throws {
    let address = (0..<6).map { _ in "\(10 + device)" }.joined(separator: ":")
    try call(
      "AddDevice", of: "org.bluez.Mock", at: "/", [.text("hci0"), .text(address), .text(name)])
  }

  /// Reports changed properties of a device or the adapter.
  func change(_ path: String, _ interface: String, _ properties: [String: BusValue]) throws {
    try call("Report", of: "org.muster.Test", at: path, [.text(interface), .table(properties)])
  }

  func removeAdapter() throws {
    try call("RemoveAdapter", of: "org.bluez.Mock", at: "/", [.text("hci0")])
  }

  private func call(
    _ method: String, of interface: String, at path: String, _ values: [BusValue]
  ) throws {
    _ = try BusConnection(address).call(
      BusMessage(calling: method, of: interface, at: path, on: "org.bluez", values))
  }
}

extension BusMessage {
  /// Creates a signal; nil if a name is invalid.
  convenience init?(
    signal: String, of interface: String, at path: String, _ values: [BusValue]
  ) {
    guard let pointer = dbus_message_new_signal(path, interface, signal) else { return nil }
    self.init(owning: pointer)
    append(values)
  }
}
