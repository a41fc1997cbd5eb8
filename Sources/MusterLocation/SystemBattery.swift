internal import Foundation

/// The battery of this machine, as Linux reports it.
public struct SystemBattery: Sendable {
  /// The folder of the power supplies, each a folder with files such as `type` and `capacity`.
  public static let linuxFolder = "/sys/class/power_supply"

  private let folder: String

  /// Creates a reader. Without the folder the machine has no battery.
  public init(folder: String = SystemBattery.linuxFolder) { self.folder = folder }

  /// Reads the mean charge of the machine's batteries in percent; nil without a battery, or if it
  /// cannot be read.
  ///
  /// Batteries of mice and keyboards have the scope `Device`, and do not count.
  public func percent() -> UInt8? {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      return nil
    }
    let charges = names.compactMap { name -> Int? in
      guard text(name, "type") == "Battery", text(name, "scope") != "Device",
        let charge = text(name, "capacity").flatMap({ Int($0) }), charge >= 0
      else { return nil }
      return min(charge, 100)
    }
    guard !charges.isEmpty else { return nil }
    return UInt8(charges.reduce(0, +) / charges.count)
  }

  /// Reads a file of a power supply; nil if it is absent or not readable.
  private func text(_ supply: String, _ name: String) -> String? {
    do {
      return try String(contentsOfFile: "\(folder)/\(supply)/\(name)", encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      return nil
    }
  }
}
