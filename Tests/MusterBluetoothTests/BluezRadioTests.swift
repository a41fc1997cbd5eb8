import Foundation
import Logging
import MusterModel
import MusterNode
import MusterTestKit
import Testing

@testable import MusterBluetooth

/// A real message bus, and bluetoothd as python3-dbusmock imitates it.
@Suite(.enabled(if: MockBluez.isInstalled, "needs dbus-daemon and python3-dbusmock"))
struct BluezRadioTests {
  private static let identifier = [UInt8](1...16)
  private static let service = "0000fd6f-0000-1000-8000-00805f9b34fb"

  private func plan(_ first: UInt8 = 7, name: String = "") -> RadioPlan {
    RadioPlan(serviceData: [UInt8](repeating: first, count: 20), name: name)
  }

  private func data(_ bytes: [UInt8] = identifier + [0, 0, 0, 0]) -> [String: BusValue] {
    ["ServiceData": .table([Self.service: .bytes(bytes)]), "RSSI": .integer(-61)]
  }

  /// Steps until a report fits.
  private func steps(
    _ radio: BluezRadio, _ plan: RadioPlan, until what: String,
    _ fits: (RadioReport) throws -> Bool
  ) async throws -> RadioReport {
    var last: RadioReport?
    try await eventually(what) {
      let report = await radio.step(plan)
      last = report
      return try fits(report)
    }
    return try #require(last)
  }

  private func isWorking(_ report: RadioReport) -> Bool {
    report.scanning == .on && report.advertising == .on && report.problem.isEmpty
  }

  @Test func `an adapter scans and advertises at the same time`() async throws {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    let radio = BluezRadio(mock.address)
    let report = try await steps(radio, plan(), until: "both are on", isWorking)
    #expect(report.adapter == "hci0" && report.received.isEmpty)

    let advertised = try #require(try mock.registered().last)
    #expect(advertised["Type"] as? String == "broadcast")
    #expect(advertised["ServiceUUIDs"] as? [String] == [Self.service])
    #expect(
      advertised["ServiceData"] as? [String: String]
        == [Self.service: String(repeating: "07", count: 20)])
    #expect(advertised["LocalName"] == nil)

    let filter = try #require(try mock.events("SetDiscoveryFilter").first?["values"] as? [Any])
    let values = try #require(filter.first as? [String: Any])
    #expect(values["UUIDs"] as? [String] == [Self.service])
    #expect(values["Transport"] as? String == "le")
    #expect(try mock.events("StartDiscovery").count == 1)
  }

  @Test func `each measured signal of a device with an identifier is a sighting`() async throws {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    // Known to bluetoothd before: no sighting of now.
    try mock.add(0)
    try mock.change(MockBluez.path(0), "org.bluez.Device1", data())
    let radio = BluezRadio(mock.address)
    #expect(
      try await steps(radio, plan(), until: "both are on", isWorking).received.isEmpty)
    try mock.change(MockBluez.path(0), "org.bluez.Device1", ["RSSI": .integer(-44)])
    // A device of another kind.
    try mock.add(1, name: "Headset")
    try mock.add(2, name: "Cleo")
    try mock.change(MockBluez.path(2), "org.bluez.Device1", data([UInt8](21...40)))
    var received: [RadioReport.Received] = []
    _ = try await steps(radio, plan(), until: "two sightings") {
      received += $0.received
      return received.count >= 2
    }
    #expect(
      received == [
        .init(identifier: try #require(Bytes16(Self.identifier)), name: "Ben", rssi: -44),
        .init(identifier: try #require(Bytes16([UInt8](21...36))), name: "Cleo", rssi: -61),
      ])
  }

  @Test func `another identifier replaces the advertisement, with the name if shown`()
    async throws
  {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    let radio = BluezRadio(mock.address)
    _ = try await steps(radio, plan(1), until: "both are on", isWorking)
    _ = try await steps(radio, plan(2, name: "Ada"), until: "the second is registered") {
      _ in try mock.registered().count == 2
    }
    #expect(try mock.events("unregistered").count == 1)
    let advertised = try #require(try mock.registered().last)
    #expect(advertised["LocalName"] as? String == "Ada")
    #expect(
      advertised["ServiceData"] as? [String: String]
        == [Self.service: String(repeating: "02", count: 20)])
  }

  @Test func `what is missing is reported with what to do`() async throws {
    let mock = try await MockBluez()
    func problem(_ address: String) async -> String {
      await BluezRadio(address).step(plan()).problem
    }
    let noBus = await problem("unix:path=/nonexistent/bus")
    #expect(noBus == "no D-Bus system bus: install dbus and bluez, and restart the laptop")
    let noDaemon = await problem(mock.address)
    #expect(noDaemon.hasPrefix("bluetoothd does not run: install bluez"))
    try await mock.start()
    let noAdapter = await problem(mock.address)
    #expect(noAdapter.hasPrefix("no Bluetooth adapter: plug one in"))
    mock.stop()
    try await mock.start("hci0")
    try mock.change(
      "/org/bluez/hci0", "org.bluez.Adapter1", ["Powered": .bool(false)])
    let switchedOff = await problem(mock.address)
    #expect(switchedOff.hasPrefix("the Bluetooth adapter hci0 is switched off: bluetoothctl"))
    await #expect(throws: BluetoothProblem.switchedOff(adapter: "hci0")) {
      try await BluezRadio(mock.address).probe()
    }
  }

  @Test(arguments: ["no-advertising", "refuse-advertising"])
  func `an adapter that cannot advertise scans`(fault: String) async throws {
    let mock = try await MockBluez()
    try await mock.start("hci0", fault)
    let report = try await steps(BluezRadio(mock.address), plan(), until: "it is refused") {
      !$0.problem.isEmpty
    }
    #expect(report.scanning == .on && report.advertising == .off && report.adapter == "hci0")
  }

  @Test func `it continues after bluetoothd, the adapter or its power returned`() async throws {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    let radio = BluezRadio(mock.address)
    _ = try await steps(radio, plan(), until: "both are on", isWorking)
    try mock.change("/org/bluez/hci0", "org.bluez.Adapter1", ["Powered": .bool(false)])
    _ = try await steps(radio, plan(), until: "it is switched off") {
      $0.scanning == .off && $0.problem.contains("switched off")
    }
    try mock.change("/org/bluez/hci0", "org.bluez.Adapter1", ["Powered": .bool(true)])
    _ = try await steps(radio, plan(), until: "both are on again", isWorking)
    try mock.removeAdapter()
    _ = try await steps(radio, plan(), until: "the adapter is gone") {
      $0.problem.hasPrefix("no Bluetooth adapter")
    }
    mock.stop()
    _ = try await steps(radio, plan(), until: "bluetoothd is gone") {
      $0.problem.hasPrefix("bluetoothd does not run")
    }
    try await mock.start("hci0")
    _ = try await steps(radio, plan(), until: "both are on with another daemon", isWorking)
  }

  @Test func `signals of another program do not count`() async throws {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    let radio = BluezRadio(mock.address)
    _ = try await steps(radio, plan(), until: "both are on", isWorking)
    // A program without the name org.bluez sends the same signals, to everyone.
    let forger = try BusConnection(mock.address)
    forger.send(
      try #require(
        BusMessage(
          signal: "PropertiesChanged", of: "org.freedesktop.DBus.Properties",
          at: MockBluez.path(3), [.text("org.bluez.Device1"), .table(data())])))
    try mock.add(4, name: "Cleo")
    try mock.change(MockBluez.path(4), "org.bluez.Device1", data([UInt8](21...40)))
    var received: [RadioReport.Received] = []
    _ = try await steps(radio, plan(), until: "the sighting that is real") {
      received += $0.received
      return !received.isEmpty
    }
    #expect(received.map(\.name) == ["Cleo"])
  }

  @Test func `a node records what the adapter receives once its user switches it on`()
    async throws
  {
    let mock = try await MockBluez()
    try await mock.start("hci0")
    let folder = try TemporaryFolder()
    let home = NodeHome.locate(
      home: folder.url.path + "/home", keys: nil,
      environment: ["MUSTER_STATE": folder.url.path + "/state"])
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    let logger = Logger(label: "test")
    let node = Node(
      try OpenedHome(home, passphrase: { [] }), transport: nil, logger: logger)
    let radio = BluetoothRadio(node: node, address: mock.address, logger: logger)
    func status(_ command: ProximityCommand = .status) async throws -> ProximityStatus {
      guard case .proximity(.status(let status)) = await node.perform(.proximity(command)) else {
        throw Failed("no status")
      }
      return status
    }
    let running = Task { await radio.run() }
    #expect(try await status().scanning == .off)
    #expect(try await status(.showName(true)).showsName)
    #expect(try await status(.setOn(true)).scanning == .unknown)
    try await eventually("both are on") {
      let status = try await status()
      return status.scanning == .on && status.advertising == .on && status.adapter == "hci0"
    }
    #expect(try mock.registered().last?["LocalName"] as? String == "Ada")
    try mock.add(0)
    try mock.change(MockBluez.path(0), "org.bluez.Device1", data())
    try await eventually("it is counted") { try await status().counted == 1 }
    let reply = await node.perform(.proximity(.devices(hours: 1)))
    guard case .proximity(.devices(let devices, isTruncated: false)) = reply else {
      throw Failed("no devices")
    }
    #expect(devices.map(\.name) == ["Ben"])
    #expect(devices.map(\.identifier) == ["0102030405060708090a0b0c0d0e0f10"])
    #expect(try await status(.setOn(false)).scanning == .off)
    running.cancel()
    await running.value
    await node.stop()
  }
}
