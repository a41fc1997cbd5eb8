import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterNode

/// Pictures that the real helper decodes with the real libvips.
@Suite(.needsPillow, .needsImageHelper, .serialized, .timeLimit(.minutes(30)))
struct ImageIntakeTests {
  private let specimens: Specimens
  private let intake: ImageIntake

  init() throws {
    specimens = try Specimens.shared.get()
    intake = try builtIntake()
  }

  private func read(_ name: String) async throws -> IntakePicture {
    try await intake.read(try specimens.bytes(name), zone: .ahead(hours: 1))
  }

  @Test(arguments: 1...8)
  func `a picture is turned upright and loses its metadata`(orientation: Int) async throws {
    let picture = try await read("turned-\(orientation).jpg")
    #expect(picture.format == .jpeg)
    #expect(picture.orientation == orientation)
    #expect(picture.sourceWidth == (orientation < 5 ? 360 : 240))
    #expect(picture.main.width == 360 && picture.main.height == 240)
    for encoding in [picture.main, picture.thumbnail] {
      let seen = try specimens.inspect(encoding)
      #expect(seen.format == "JPEG")
      #expect(seen.width == encoding.width && seen.height == encoding.height)
      #expect(seen.corners == ["red", "green", "blue", "yellow"])
      #expect(seen.metadata == [])
    }
  }

  @Test(arguments: ["turned-1.jpg", "exif.png", "exif.webp", "exif.heic", "exif.avif"])
  func `position and time are read from every format`(name: String) async throws {
    let picture = try await read(name)
    // 46° 30' 12.34" S, 7° 15' 0.5" W; 04:10 at an offset of two hours
    #expect(picture.position == Coordinate(latitudeE7: -465_034_278, longitudeE7: -72_501_389))
    #expect(picture.takenAt == Timestamp(rfc3339: "2026-11-25T02:10:00Z"))
    #expect(try specimens.inspect(picture.main).corners == ["red", "green", "blue", "yellow"])
    #expect(try specimens.inspect(picture.main).metadata == [])
  }

  @Test func `a time without an offset is local time of this computer`() async throws {
    #expect(try await read("local.jpg").takenAt == Timestamp(rfc3339: "2026-11-25T03:10:00Z"))
  }

  @Test(arguments: [
    ("summer.jpg", "2026-07-15T14:00:00Z"), ("winter.jpg", "2026-01-15T15:00:00Z"),
    ("sydney.jpg", "2026-07-15T05:00:00Z"), ("other-offset.jpg", "2026-07-15T18:30:00Z"),
  ])
  func `a local time is that of the picture's own day and place`(
    name: String, time: String
  ) async throws {
    let lisbon = CameraZone(
      own: try #require(TimeZone(identifier: "Europe/Lisbon")), places: cities)
    let picture = try await intake.read(try specimens.bytes(name), zone: lisbon)
    #expect(picture.takenAt == Timestamp(rfc3339: time))
  }

  private var cities: [ZonePlace] {
    ZonePlace.read("PT\t+3843-00908\tEurope/Lisbon\nAU\t-3352+15113\tAustralia/Sydney\n")
  }

  @Test(arguments: [("108mp.jpg", 12_000, 9_000), ("200mp.jpg", 16_320, 12_240)])
  func `the pictures of phones with the most pixels are read`(
    name: String, width: Int, height: Int
  ) async throws {
    let picture = try await read(name)
    #expect(picture.sourceWidth == width && picture.sourceHeight == height)
    #expect((1800...2048).contains(picture.main.width))
  }

  @Test(arguments: ["thin.jpg", "thin.png", "flat.jpg"])
  func `a picture that is one pixel wide or high is read`(name: String) async throws {
    let picture = try await read(name)
    #expect(min(picture.main.width, picture.main.height) == 1)
    #expect(max(picture.main.width, picture.main.height) == 2048)
    #expect(min(picture.thumbnail.width, picture.thumbnail.height) == 1)
  }

  @Test(arguments: ["turned-6.jpg", "wide.jpg", "noise.jpg"], 1...2)
  func `a JPEG without its end mark is read`(name: String, missing: Int) async throws {
    let whole = try await read(name)
    let part = Array(try specimens.bytes(name).dropLast(missing))
    #expect(try await intake.read(part, zone: .ahead(hours: 1)).main == whole.main)
  }

  @Test func `a date that is in no calendar is no time`() async throws {
    let picture = try await read("bad-time.jpg")
    #expect(picture.takenAt == nil)
    #expect(picture.position != nil)
  }

  @Test func `a HEIF that is stored turned is shown upright`() async throws {
    let picture = try await read("turned.heic")
    #expect(try specimens.inspect(picture.main).corners == ["red", "green", "blue", "yellow"])
  }

  @Test func `transparency becomes white`() async throws {
    let seen = try specimens.inspect(try await read("transparent.png").main)
    #expect(Set(seen.corners) == ["white"])
  }

  @Test(arguments: ["grey.jpg", "cmyk.jpg", "progressive.jpg", "plain.jpg"])
  func `other kinds of JPEG are read`(name: String) async throws {
    #expect(try await read(name).main.width == 360)
  }

  @Test(arguments: ["wide.jpg", "noise.jpg"])
  func `sizes are within their limits`(name: String) async throws {
    let picture = try await read(name)
    #expect(max(picture.main.width, picture.main.height) <= 2048)
    #expect(picture.thumbnail.bytes.count <= IntakePicture.thumbnailBytes)
    #expect(picture.thumbnail.width >= 96)
  }

  @Test(arguments: [
    ("zip.jpg", IntakeError.notAPicture), ("svg.jpg", .notAPicture), ("huge.png", .tooManyPixels),
  ])
  func `what is no picture is refused`(name: String, error: IntakeError) async throws {
    await #expect(throws: error) { try await read(name) }
    #expect(try await read("plain.jpg").main.width == 360)
  }

  @Test func `an empty file and one that is too large are refused`() async throws {
    await #expect(throws: IntakeError.empty) { try await intake.read([], zone: .ahead(hours: 0)) }
    let large = [UInt8](repeating: 0xFF, count: ImageIntake.mostBytes + 1)
    await #expect(throws: IntakeError.oversized) {
      try await intake.read(large, zone: .ahead(hours: 0))
    }
  }

  @Test func `noise of 50 MB is refused, with any first bytes`() async throws {
    var drawn = SplitMix64(seed: 50)
    var noise: [UInt8] = []
    noise.reserveCapacity(50 << 20)
    while noise.count < 50 << 20 { withUnsafeBytes(of: drawn.next()) { noise += $0 } }
    for start in [[], [0xFF, 0xD8, 0xFF], Array("RIFF____WEBP".utf8), Array("____ftypheic".utf8)] {
      noise.replaceSubrange(0..<start.count, with: start)
      await #expect(throws: IntakeError.self) {
        try await intake.read(noise, zone: .ahead(hours: 0))
      }
    }
    #expect(try await read("plain.jpg").main.width == 360)
  }

  @Test(arguments: ["turned-6.jpg", "exif.png", "exif.webp", "exif.heic"])
  func `a truncated picture is refused, wherever it ends`(name: String) async throws {
    let whole = try specimens.bytes(name)
    // Of the PNG, the last hundredth is its end marker, without any pixels.
    for percent in 1..<(name == "exif.png" ? 99 : 100) {
      let part = Array(whole.prefix(whole.count * percent / 100))
      let error = await #expect(throws: IntakeError.self, "\(percent) %") {
        try await intake.read(part, zone: .ahead(hours: 0))
      }
      #expect(error == .damaged || error == .notAPicture, "\(percent) %")
    }
    #expect(try await read(name).main.width == 360)
  }

  @Test func `a progressive JPEG without its end is read from its second scan on`() async throws {
    let whole = try specimens.bytes("progressive.jpg")
    var (read, refused) = ([Int](), [Int]())
    for percent in stride(from: 2, to: 100, by: 3) {
      let part = Array(whole.prefix(whole.count * percent / 100))
      let picture: IntakePicture
      do {
        picture = try await intake.read(part, zone: .ahead(hours: 0))
      } catch {
        #expect(error == .damaged || error == .notAPicture, "\(percent) %")
        refused.append(percent)
        continue
      }
      #expect(try specimens.inspect(picture.main).corners == ["red", "green", "blue", "yellow"])
      read.append(percent)
    }
    let (last, first) = (try #require(refused.max()), try #require(read.min()))
    #expect(last < first && first < 60, "\(refused) \(read)")
  }

  @Test func `a helper serves several pictures, and another one starts after its death`()
    async throws
  {
    _ = try await read("plain.jpg")
    let first = try #require(await intake.helperPID)
    _ = try await read("exif.png")
    #expect(await intake.helperPID == first)
    kill(first, SIGKILL)
    // It is noticed before the next picture or during it; after that, one is read again.
    _ = try? await read("plain.jpg")
    #expect(try await read("plain.jpg").main.width == 360)
    #expect(await intake.helperPID != first)
  }

  @Test func `a helper that does not answer in time is replaced`() async throws {
    let hasty = try builtIntake(patience: .seconds(20))
    let bytes = try specimens.bytes("plain.jpg")
    _ = try await hasty.read(bytes, zone: .ahead(hours: 0))
    let first = try #require(await hasty.helperPID)
    kill(first, SIGSTOP)
    await #expect(throws: IntakeError.timedOut) {
      try await hasty.read(bytes, zone: .ahead(hours: 0))
    }
    #expect(try await hasty.read(bytes, zone: .ahead(hours: 0)).main.width == 360)
  }

  #if os(Linux)
    @Test func `the helper has given up its rights before it reads`() async throws {
      _ = try await read("plain.jpg")
      let pid = try #require(await intake.helperPID)
      let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
      #expect(status.contains("NoNewPrivs:\t1"))
      // 2: a filter of system calls
      #expect(status.contains("Seccomp:\t2"))
      let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
      #expect(limits.contains(/Max file size +0 +0/))
      #expect(limits.contains(/Max open files +3 +3/))
      #expect(limits.contains(/Max core file size +0 +0/))
      #expect(limits.contains(/Max cpu time +60 +60/))
      #expect(!limits.contains(/Max address space +unlimited/))
    }
  #endif
}
