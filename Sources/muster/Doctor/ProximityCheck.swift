internal import Foundation
internal import MusterBluetooth

/// Whether Bluetooth can scan for devices nearby and advertise. A laptop without it is fit.
struct ProximityCheck {
  /// Where Linux lists Bluetooth adapters.
  private static let folder = "/sys/class/bluetooth"

  func findings() async -> [Finding] {
    do throws(BluetoothProblem) {
      let adapter = try await BluetoothRadio.adapter()
      return [.good("proximity", "\(adapter) can be used: muster proximity on")]
    } catch {
      return [
        Finding(
          subject: "proximity", state: hasAdapter ? .doubtful : .good,
          words: hasAdapter ? error.text : "not available, and optional: \(error.text)",
          advice: error.advice)
      ]
    }
  }

  private var hasAdapter: Bool {
    do {
      return try !FileManager.default.contentsOfDirectory(atPath: Self.folder).isEmpty
    } catch {
      return false
    }
  }
}
