import Foundation
import MusterTestKit
import Testing

@testable import MusterNode

/// Pictures that `Tests/Pictures/pictures.py` draws with Pillow, once for all tests.
struct Specimens {
  private let folder: TemporaryFolder

  static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Pictures/pictures.py")

  static let shared = Result { try Specimens() }

  private init() throws {
    folder = try TemporaryFolder()
    let drawing = try Python.runBriefly([Self.script.path, folder.url.path])
    guard drawing.status == 0 else { throw Failed("pictures.py ended with \(drawing.status)") }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.url.appending(path: name)))
  }

  /// What Pillow reads in a file that the intake wrote.
  struct Sight: Decodable {
    let format: String
    let width: Int
    let height: Int
    /// Clockwise from the top left.
    let corners: [String]
    let metadata: [String]
  }

  func inspect(_ encoding: IntakePicture.Encoding) throws -> Sight {
    let file = folder.url.appending(path: "seen-\(UUID().uuidString).jpg")
    try Data(encoding.bytes).write(to: file)
    let seen = try Python.runBriefly([Self.script.path, "--inspect", file.path])
    guard seen.status == 0 else { throw Failed("pictures.py ended with \(seen.status)") }
    return try JSONDecoder().decode(Sight.self, from: Data(seen.output.utf8))
  }
}

extension Trait where Self == ConditionTrait {
  static var needsPillow: Self {
    .enabled("needs Pillow and pillow-heif, which `make test` installs") {
      try Python.has("PIL", "pillow_heif")
    }
  }

  static var needsImageHelper: Self {
    .enabled("needs the built program muster-image") {
      (try? Program.located("muster-image")) != nil
    }
  }
}

extension CameraZone {
  /// A zone without summer time, wherever the picture was taken.
  static func ahead(hours: Int) -> CameraZone {
    CameraZone(own: TimeZone(secondsFromGMT: hours * 3600) ?? .gmt, places: [])
  }
}

/// An intake that uses the built helper.
func builtIntake(patience: Duration = .seconds(120)) throws -> ImageIntake {
  let kept = ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"]
  let variables = ProcessInfo.processInfo.environment.filter { kept.contains($0.key) }
  return ImageIntake(
    program: try Program.located("muster-image").path, patience: patience, environment: variables)
}
