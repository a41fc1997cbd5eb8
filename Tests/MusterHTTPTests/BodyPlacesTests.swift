import Testing

@testable import MusterHTTP

/// The bodies of requests for Amazon Location that are received at once.
@Suite struct BodyPlacesTests {
  @Test func `one access key leaves half of the places to others`() {
    let places = BodyPlaces()
    let taken = (0..<40).count { _ in places.enter("a") }
    #expect(taken == BodyPlaces.mostPerSender)
    #expect(places.enter("b"))
    places.leave("a")
    #expect(places.enter("a") && !places.enter("a"))
  }

  @Test func `all access keys together have a bound`() {
    let places = BodyPlaces()
    let taken = (0..<100).count { places.enter("\($0)") }
    #expect(taken == BodyPlaces.most && !places.enter("a"))
    for index in 0..<taken { places.leave("\(index)") }
    #expect(places.enter("a"))
  }
}
