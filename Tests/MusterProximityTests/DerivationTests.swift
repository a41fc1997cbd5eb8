import MusterModel
import Testing

@testable import MusterProximity

@Suite struct DerivationTests {
  private static let key = DailyKey(
    bytes: PublishedVectors.dailyKey,
    dayStart: ProximityInterval(number: PublishedVectors.dayStart))

  @Test func `both keys are those of the specification`() throws {
    let key = try #require(Self.key)
    #expect(key.identifierKey == PublishedVectors.identifierKey)
    #expect(key.metadataKey == PublishedVectors.metadataKey)
  }

  @Test func `all identifiers and metadata of a day are those of the specification`() throws {
    let key = try #require(Self.key)
    let identifiers = key.identifiers()
    #expect(PublishedVectors.advertised.count == 144)
    #expect(identifiers.map(\.bytes) == PublishedVectors.advertised.map(\.identifier))
    for (offset, expected) in PublishedVectors.advertised.enumerated() {
      let interval = ProximityInterval(number: PublishedVectors.dayStart + UInt32(offset))
      let identifier = try #require(key.identifier(at: interval))
      #expect(identifier.bytes == expected.identifier)
      #expect(key.metadata(PublishedVectors.metadata, with: identifier) == expected.metadata)
      #expect(key.metadata(expected.metadata, with: identifier) == PublishedVectors.metadata)
    }
  }

  @Test func `a key has no identifiers outside its day`() throws {
    let key = try #require(Self.key)
    let day = PublishedVectors.dayStart
    #expect(key.identifier(at: ProximityInterval(number: day - 1)) == nil)
    #expect(key.identifier(at: ProximityInterval(number: day + 144)) == nil)
    #expect(
      DailyKey(bytes: key.bytes, dayStart: ProximityInterval(number: day + 1)) == nil)
    #expect(DailyKey(bytes: [1, 2], dayStart: ProximityInterval(number: day)) == nil)
  }

  /// Two identifiers of one device have nothing in common that two of different devices have not:
  /// they differ in half of their bits.
  @Test func `identifiers of one device are not linkable without its key`() throws {
    let own = try #require(Self.key).identifiers()
    let other = try #require(
      DailyKey(
        bytes: [UInt8](repeating: 7, count: 16),
        dayStart: ProximityInterval(number: PublishedVectors.dayStart))
    ).identifiers()
    #expect(Set(own + other).count == 288)
    let within = Self.meanDistance(own, Array(own.dropFirst()))
    let between = Self.meanDistance(own, other)
    #expect((60...68).contains(within))
    #expect((60...68).contains(between))
  }

  private static func meanDistance(_ left: [Bytes16], _ right: [Bytes16]) -> Int {
    let distances = zip(left, right).map {
      ($0.high ^ $1.high).nonzeroBitCount + ($0.low ^ $1.low).nonzeroBitCount
    }
    return distances.reduce(0, +) / distances.count
  }

  @Test func `a key does not print its secret`() throws {
    let text = "\(try #require(Self.key))"
    #expect(text == "the daily key of 2020-04-02T00:00:00Z")
  }
}
