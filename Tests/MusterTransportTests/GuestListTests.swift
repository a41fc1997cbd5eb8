import MusterModel
import Testing

@testable import MusterTransport

/// Outsiders and insiders who want all uplinks of a listener.
struct GuestListTests {
  private func device(_ number: UInt64) -> DeviceID {
    DeviceID(raw: Bytes16(high: number, low: 1))
  }

  private func expectNone(_ ended: [UInt64], at place: SourceLocation = #_sourceLocation) {
    #expect(ended.isEmpty, sourceLocation: place)
  }

  private func admit(
    from address: String, to guests: inout GuestList
  ) throws -> (number: UInt64, displaced: UInt64?) {
    let admitted = guests.admit(from: address)
    return try #require(admitted)
  }

  /// Room for 20 members, and 4 strangers.
  private func list(fromAnAddress: Int = 24) -> GuestList {
    GuestList(.init(members: 20, strangers: 4, all: 24, fromAnAddress: fromAnAddress))
  }

  @Test func `a flood displaces itself, and an honest client authenticates meanwhile`() throws {
    var guests = list()
    // Given as many connections of an attacker as there is room for
    var own: Set<UInt64> = []
    for _ in 0..<4 { own.insert(try admit(from: "198.51.100.1", to: &guests).number) }
    // When a laptop connects from elsewhere, then one of them makes room,
    let (laptop, displaced) = try admit(from: "192.0.2.1", to: &guests)
    #expect(displaced == own.min())
    // however many more of them follow.
    for _ in 0..<100 {
      let next = try admit(from: "198.51.100.1", to: &guests)
      #expect(next.displaced != nil && next.displaced != laptop)
    }
    expectNone(guests.prove(laptop, as: device(1)))
  }

  @Test func `behind a load balancer the oldest stranger makes room`() throws {
    var guests = list()
    var numbers: [UInt64] = []
    for _ in 0..<4 { numbers.append(try admit(from: "10.0.0.1", to: &guests).number) }
    for number in numbers {
      let next = try admit(from: "10.0.0.1", to: &guests)
      #expect(next.displaced == number)
    }
  }

  @Test func `no stranger displaces a member`() throws {
    var guests = list(fromAnAddress: 2)
    for number in UInt64(0)..<2 {
      let guest = try admit(from: "192.0.2.1", to: &guests).number
      expectNone(guests.prove(guest, as: device(number)))
    }
    let refused = guests.admit(from: "192.0.2.1")
    #expect(refused == nil)
    _ = try admit(from: "192.0.2.2", to: &guests)
  }

  @Test func `a device with many uplinks replaces its own`() throws {
    var guests = list()
    var numbers: [UInt64] = []
    for count in 1...100 {
      let guest = try admit(from: "10.0.0.1", to: &guests).number
      numbers.append(guest)
      let ended = guests.prove(guest, as: device(1))
      let isFull = count > GuestList.mostOfADevice
      #expect(ended == (isFull ? [numbers[count - 1 - GuestList.mostOfADevice]] : []))
      // It can authenticate as often as it likes.
      expectNone(guests.prove(guest, as: device(2)))
    }
    // The same device in another operation is another one.
    let other = try admit(from: "10.0.0.1", to: &guests).number
    guests.assign(other, to: 1)
    expectNone(guests.prove(other, as: device(1)))
  }

  @Test func `a device whose session ends must authenticate again`() throws {
    var guests = list()
    let number = try admit(from: "10.0.0.1", to: &guests).number
    expectNone(guests.prove(number, as: device(1)))
    let elsewhere = guests.doubt(device(1), of: 1)
    expectNone(elsewhere)
    // When its session ends, then it makes room for others like a stranger,
    let doubted = guests.doubt(device(1), of: 0)
    #expect(doubted == [number])
    for _ in 1...3 { _ = try admit(from: "10.0.0.1", to: &guests) }
    let next = try admit(from: "10.0.0.1", to: &guests)
    #expect(next.displaced == number)
  }

  @Test func `an operation with many devices displaces no other one`() throws {
    var guests = list()
    func join(_ operation: Int, _ number: UInt64) throws -> (UInt64, ended: [UInt64]) {
      let guest = try admit(from: "10.0.0.1", to: &guests).number
      guests.assign(guest, to: operation)
      return (guest, guests.prove(guest, as: device(number)))
    }
    // Given an operation that has all uplinks
    var flood: [UInt64] = []
    for number in UInt64(0)..<20 { flood.append(try join(0, number).0) }
    // then further ones of it find no room,
    let refused = try join(0, 20)
    #expect(refused.ended == [refused.0])
    // and those of another one replace its newest, until both have the same share.
    for number in UInt64(0)..<10 {
      let (_, ended) = try join(1, number)
      #expect(ended == [flood.removeLast()])
    }
    let excess = try join(1, 10)
    #expect(excess.ended == [excess.0])
    let again = try join(0, 21)
    #expect(again.ended == [again.0])
  }
}
