import MusterGeo
import MusterModel
import Testing

@Suite("Movement")
struct MovementDetectorTests {
  private func fix(metresNorth: Int64, accuracyMetres: UInt32? = 5) throws -> Fix {
    let position = try #require(
      Coordinate(latitudeE7: 480_000_000 + metresNorth * 90, longitudeE7: 110_000_000))
    return Fix(
      position: position, accuracyDecimetres: accuracyMetres.map { $0 * 10 },
      sampleTime: Timestamp(milliseconds: 0))
  }

  @Test func `fixes within the accuracy are no movement, one beyond it is`() throws {
    var detector = MovementDetector()
    #expect(detector.stillSeconds(at: 0) == nil, "nothing is known yet")
    #expect(detector.take(try fix(metresNorth: 0), at: 1000))
    #expect(!detector.take(try fix(metresNorth: 15), at: 60_000))
    #expect(!detector.take(try fix(metresNorth: -15), at: 120_000))
    #expect(detector.stillSeconds(at: 121_000) == 120)
    #expect(detector.take(try fix(metresNorth: 25), at: 130_000))
    #expect(detector.stillSeconds(at: 131_000) == 1)
  }

  @Test func `a coarse fix shows neither movement nor rest, and a finer one replaces it`() throws {
    var detector = MovementDetector()
    detector.take(try fix(metresNorth: 0, accuracyMetres: 400), at: 0)
    #expect(!detector.take(try fix(metresNorth: 300), at: 10_000), "within the circle")
    #expect(detector.take(try fix(metresNorth: 340), at: 20_000), "the finer one is the anchor")
    #expect(!detector.take(try fix(metresNorth: 9000, accuracyMetres: 2000), at: 30_000))
    #expect(!detector.take(try fix(metresNorth: 400, accuracyMetres: nil), at: 40_000))
    #expect(detector.stillSeconds(at: 50_000) == 30)
  }

  @Test func `a sensor that moves counts, one that rests does not hide a movement`() throws {
    var detector = MovementDetector()
    detector.take(try fix(metresNorth: 0), at: 0)
    #expect(detector.take(try fix(metresNorth: 1), isMoving: true, at: 5000))
    #expect(!detector.take(try fix(metresNorth: 1), isMoving: false, at: 6000))
    #expect(detector.take(try fix(metresNorth: 100), isMoving: false, at: 7000))
  }

  @Test func `a restart continues from the last position`() throws {
    var detector = MovementDetector(after: try fix(metresNorth: 0), lastMovement: -300_000)
    #expect(!detector.take(try fix(metresNorth: 5), at: 1000))
    #expect(detector.stillSeconds(at: 1000) == 301)
  }
}
