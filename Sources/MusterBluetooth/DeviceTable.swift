internal import MusterModel
internal import MusterNode

/// What bluetoothd reported of the devices nearby that advertise Exposure Notification.
///
/// bluetoothd reports a device once with all properties, and then those that changed: a new signal
/// strength arrives without the identifier.
struct DeviceTable {
  private struct Device {
    var identifier: Bytes16?
    var name = ""
  }

  /// bluetoothd itself forgets a device 30 seconds after its last advertisement.
  static let mostDevices = 4096

  private var devices: [String: Device] = [:]

  /// The devices that are known.
  var count: Int { devices.count }

  /// Updates a device. Returns a sighting if it was received now: if its signal was measured.
  ///
  /// - Parameter path: the object of bluetoothd.
  mutating func update(_ path: String, _ properties: [String: BusValue]) -> RadioReport.Received? {
    // An attacker can show any number of addresses.
    if devices[path] == nil, devices.count >= Self.mostDevices { devices.removeAll() }
    var device = devices[path] ?? Device()
    if let data = properties["ServiceData"]?.table {
      device.identifier = Self.identifier(in: data)
    }
    if let name = properties["Name"]?.text { device.name = name }
    devices[path] = device
    guard let measured = properties["RSSI"]?.integer, let rssi = Int8(exactly: measured),
      (-127...20).contains(rssi), let identifier = device.identifier
    else { return nil }
    return RadioReport.Received(identifier: identifier, name: device.name, rssi: rssi)
  }

  /// Removes a device.
  mutating func remove(_ path: String) { devices[path] = nil }

  private static func identifier(in data: [String: BusValue]) -> Bytes16? {
    for (uuid, value) in data where uuid.lowercased() == ExposureService.uuid {
      guard let bytes = value.bytes, bytes.count == ExposureService.dataBytes else { continue }
      return Bytes16(bytes.prefix(16))
    }
    return nil
  }
}

/// The Bluetooth service of Exposure Notification, 0xFD6F.
enum ExposureService {
  static let uuid = "0000fd6f-0000-1000-8000-00805f9b34fb"
  /// The identifier and its metadata.
  static let dataBytes = 20
}
