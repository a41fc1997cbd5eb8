import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterNode

/// Helpers that misbehave: scripts in place of `muster-image`.
@Suite(.timeLimit(.minutes(30))) struct HelperFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func intake(_ script: String, patience: Duration = .seconds(60)) throws -> ImageIntake {
    ImageIntake(program: try folder.program(script), patience: patience)
  }

  private func failure(
    _ script: String, patience: Duration = .seconds(60)
  ) async throws -> IntakeError? {
    let intake = try intake(script, patience: patience)
    return await #expect(throws: IntakeError.self) {
      try await intake.read([1, 2, 3], zone: .ahead(hours: 0))
    }
  }

  @Test func `a program that is missing is named`() async throws {
    let path = folder.url.appending(path: "absent").path
    let error = await #expect(throws: IntakeError.self) {
      try await ImageIntake(program: path).read([1], zone: .ahead(hours: 0))
    }
    #expect(error == .helperMissing(path))
    #expect(error?.description.contains("\n") == false)
  }

  @Test func `a program that the loader cannot start names the library`() async throws {
    let error = try await failure("exit 127")
    #expect(error == .helperUnusable)
    #expect(error?.description.contains("libvips") == true)
  }

  @Test func `a system that permits no confinement is reported`() async throws {
    #expect(try await failure("exit 71") == .notConfined)
  }

  @Test func `a program that is not the helper is not used`() async throws {
    #expect(try await failure("echo hello world") == .helperUnusable)
  }

  @Test func `a helper that ends during a picture is reported`() async throws {
    #expect(try await failure("echo mimage1; head -c 5 >/dev/null") == .helperFailed)
  }

  @Test func `a helper that ends during its answer is reported`() async throws {
    #expect(try await failure(#"echo mimage1; printf '\0\0\1\0\0\1'"#) == .helperFailed)
  }

  @Test func `an answer of an impossible length is not awaited`() async throws {
    #expect(
      try await failure(#"echo mimage1; printf '\377\377\377\377'; sleep 60"#) == .helperFailed)
  }

  @Test(arguments: ["exit 0", "kill -9 $$"])
  func `a helper that was idle and ends as the next picture arrives is replaced`(
    end: String
  ) async throws {
    let starts = folder.url.appending(path: "starts")
    let intake = try intake(
      """
      echo x >> '\(starts.path)'; echo mimage1
      head -c 7 >/dev/null; printf '\\0\\0\\0\\1\\1'
      head -c 4 >/dev/null; \(end)
      """)
    for _ in 1...2 {
      let error = await #expect(throws: IntakeError.self) {
        try await intake.read([1, 2, 3], zone: .ahead(hours: 0))
      }
      #expect(error == .notAPicture)
    }
    #expect(try String(contentsOf: starts, encoding: .utf8) == "x\nx\n")
    await intake.stop()
  }

  @Test func `a helper that stays silent is given up`() async throws {
    let error = try await failure("echo mimage1; sleep 600", patience: .seconds(1))
    // On a slow computer, the script itself may not have started within the time.
    #expect(error == .timedOut || error == .helperUnusable)
  }

  @Test func `every error is one line that states what to do`() {
    let errors: [IntakeError] = [
      .empty, .oversized, .notAPicture, .tooManyPixels, .damaged, .outOfMemory, .timedOut,
      .helperFailed, .helperMissing("/usr/bin/muster-image"), .helperUnusable, .notConfined,
    ]
    for error in errors {
      #expect(!error.description.contains("\n"))
      #expect(error.description.contains(":"), "\(error)")
    }
  }
}

/// Answers of a helper that a picture may control.
@Suite struct IntakeAnswerTests {
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFF, 0xD9]

  /// A JPEG of 4,000 × 3,000, stored on its side, of 2026-11-25 at 46° N 7° E.
  private static func valid() -> [UInt8] {
    var writer = ByteWriter()
    for byte: UInt8 in [0, 1] { writer.append(byte) }
    writer.append(UInt32(4000))
    writer.append(UInt32(3000))
    for byte: UInt8 in [6, 3] { writer.append(byte) }
    writer.append(Int32(460_000_000))
    writer.append(Int32(70_000_000))
    writer.append(UInt8(19))
    writer.append(fixed: Array("2026-11-25T04:10:00".utf8))
    for (width, height) in [(1536, 2048), (240, 320)] {
      writer.append(UInt16(width))
      writer.append(UInt16(height))
      writer.append(UInt32(jpeg.count))
      writer.append(fixed: jpeg)
    }
    return writer.bytes
  }

  @Test func `a valid answer is read`() throws {
    let picture = try IntakeAnswer.picture(from: Self.valid(), zone: .ahead(hours: -1))
    #expect(picture.format == .jpeg && picture.orientation == 6)
    #expect(picture.sourceWidth == 4000 && picture.sourceHeight == 3000)
    #expect(picture.position == Coordinate(latitude: 46, longitude: 7))
    #expect(picture.takenAt == Timestamp(rfc3339: "2026-11-25T05:10:00Z"))
    #expect(picture.main.width == 1536 && picture.main.bytes == Self.jpeg)
    #expect(picture.thumbnail.height == 320)
  }

  @Test func `an answer that ends early or goes on is refused`() {
    let whole = Self.valid()
    for count in 0..<whole.count {
      #expect(throws: IntakeError.helperFailed) {
        try IntakeAnswer.picture(from: Array(whole.prefix(count)), zone: .ahead(hours: 0))
      }
    }
    #expect(throws: IntakeError.helperFailed) {
      try IntakeAnswer.picture(from: whole + [0], zone: .ahead(hours: 0))
    }
  }

  @Test func `no mutated answer traps or exceeds the limits`() {
    var drawn = SplitMix64(seed: 27)
    let whole = Self.valid()
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0...drawn.number(below: 4) {
        bytes[drawn.number(below: bytes.count)] = UInt8(truncatingIfNeeded: drawn.next())
      }
      guard let picture = try? IntakeAnswer.picture(from: bytes, zone: .ahead(hours: 0)) else {
        continue
      }
      #expect(max(picture.main.width, picture.main.height) <= 2048)
      #expect(picture.thumbnail.bytes.count <= IntakePicture.thumbnailBytes)
    }
  }

  private static let statuses: [(UInt8, IntakeError)] = [
    (1, .notAPicture), (2, .tooManyPixels), (3, .damaged), (4, .outOfMemory), (5, .oversized),
    (6, .helperFailed), (255, .helperFailed),
  ]

  @Test(arguments: statuses)
  func `each status has its error`(status: UInt8, error: IntakeError) {
    #expect(throws: error) {
      try IntakeAnswer.picture(from: [status], zone: .ahead(hours: 0))
    }
  }
}
