internal import Foundation
internal import MusterNode

/// Whether photos can be added on this laptop: reads a small picture by `muster-image`.
struct PhotoCheck {
  /// A PNG of 8 × 8 pixels.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFUlEQVR42mM8ISfHgA0wMeAAg1MCANDKARQfGKMR"
    + "AAAAAElFTkSuQmCC"

  func findings() async -> [Finding] {
    let intake = ImageIntake()
    let bytes = Data(base64Encoded: Self.picture).map(Array.init) ?? []
    let finding: Finding
    do {
      _ = try await intake.read(bytes, zone: .current)
      finding = .good("photos", "can be added")
    } catch {
      let parts = "\(error)".split(separator: ";", maxSplits: 1).map(String.init)
      finding = .doubtful(
        "photos", parts[0],
        parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "see the README")
    }
    await intake.stop()
    return [finding]
  }
}
