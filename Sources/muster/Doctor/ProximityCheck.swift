internal import Foundation

/// Whether this laptop has a Bluetooth adapter, for scanners of devices nearby.
struct ProximityCheck {
  /// Where Linux lists Bluetooth adapters.
  var folder = "/sys/class/bluetooth"

  func findings() -> [Finding] {
    let adapters: [String]
    do {
      adapters = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      adapters = []
    }
    guard let first = adapters.first else {
      return [.good("proximity", "no Bluetooth adapter: only an external scanner records devices")]
    }
    return [.good("proximity", "adapter \(first): a scanner can send to --proximity")]
  }
}
