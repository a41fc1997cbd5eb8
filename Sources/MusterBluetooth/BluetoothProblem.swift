/// Why Bluetooth cannot be used on this laptop.
public enum BluetoothProblem: Error, Hashable, Sendable {
  case noBus
  case noDaemon
  case noPermission
  case noAdapter
  case switchedOff(adapter: String)
  case cannotAdvertise(adapter: String)
  /// An error of bluetoothd.
  case refused(String)

  /// The fact, in one line.
  public var text: String {
    switch self {
    case .noBus: "no D-Bus system bus"
    case .noDaemon: "bluetoothd does not run"
    case .noPermission: "bluetoothd does not permit this user"
    case .noAdapter: "no Bluetooth adapter"
    case .switchedOff(let adapter): "the Bluetooth adapter \(adapter) is switched off"
    case .cannotAdvertise(let adapter): "the Bluetooth adapter \(adapter) cannot advertise"
    case .refused(let text): "bluetoothd refused: \(text)"
    }
  }

  /// What the user can do, in one line.
  public var advice: String {
    switch self {
    case .noBus: "install dbus and bluez, and restart the laptop"
    case .noDaemon: "install bluez, then: systemctl enable --now bluetooth"
    case .noPermission: "add the user to the group bluetooth, and log in again"
    case .noAdapter: "plug one in, or use a scanner: muster run --proximity"
    case .switchedOff: "bluetoothctl power on; if that fails: rfkill unblock bluetooth"
    case .cannotAdvertise: "use another adapter; scanning works without"
    case .refused: "see: journalctl -u bluetooth"
    }
  }

  /// - Parameter fault: an error of the bus, or of bluetoothd.
  init(_ fault: BusConnection.Fault) {
    let name = fault.name.split(separator: ".").last.map(String.init) ?? ""
    switch name {
    case "AccessDenied", "AuthFailed": self = .noPermission
    case "NoServer", "FileNotFound", "BadAddress", "Disconnected", "NoNetwork": self = .noBus
    case "ServiceUnknown", "NameHasNoOwner", "UnknownObject": self = .noDaemon
    case _ where fault.name.hasPrefix("org.freedesktop.DBus.Error.Spawn"): self = .noDaemon
    default: self = .refused(fault.text.isEmpty ? fault.name : fault.text)
    }
  }
}
