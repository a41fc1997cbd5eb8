import MusterModel
import NIOCore
import Testing

@testable import MusterTransport

struct LocalInterfaceTests {
  private func interface(
    _ name: String, index: Int, _ address: String, multicast: Bool = true
  ) throws -> LocalInterface {
    let socketAddress = try SocketAddress(ipAddress: address, port: 0)
    return LocalInterface(
      device: NIONetworkDevice(
        name: name, address: socketAddress, netmask: nil, broadcastAddress: nil,
        pointToPointDestinationAddress: socketAddress, multicastSupported: multicast,
        interfaceIndex: index),
      address: try #require(Endpoint(socketAddress)))
  }

  private func laptop() throws -> [LocalInterface] {
    [
      try interface("lo", index: 1, "127.0.0.1", multicast: false),
      try interface("lo", index: 1, "::1", multicast: false),
      try interface("wlan0", index: 2, "192.0.2.7"),
      try interface("wlan0", index: 2, "192.0.2.8"),
      try interface("wlan0", index: 2, "fe80::7"),
      try interface("wlan0", index: 2, "2001:db8::7"),
      try interface("usb0", index: 3, "fe80::9"),
      try interface("tun0", index: 4, "198.51.100.7", multicast: false),
      try interface("eth0", index: 5, "203.0.113.7"),
    ]
  }

  private func listen(_ text: String) throws -> Endpoint {
    try UDPConfiguration(listen: text).listen
  }

  @Test func `a wildcard announces once by each interface that takes multicast`()
    throws
  {
    let laptop = try laptop()
    let ipv4 = laptop.carryingMulticast(for: try listen("0.0.0.0:7474"))
    #expect(ipv4.map(\.device.name) == ["wlan0", "eth0", "usb0"])
    #expect(ipv4.map(\.address.family) == [.ipv4, .ipv4, .ipv6])
    let ipv6 = laptop.carryingMulticast(for: try listen("[::]:7474"))
    #expect(ipv6.map(\.device.name) == ["wlan0", "usb0", "eth0"])
  }

  @Test func `one address announces by its own interface only`() throws {
    let laptop = try laptop()
    let second = laptop.carryingMulticast(for: try listen("192.0.2.8:7474"))
    #expect(second.map(\.index) == [2])
    #expect(laptop.carryingMulticast(for: try listen("127.0.0.1:7474")).isEmpty)
    #expect(laptop.carryingMulticast(for: try listen("198.51.100.7:7474")).isEmpty)
  }

  @Test func `announces of both families are received where the node is reachable`() throws {
    let laptop = try laptop()
    func names(_ family: AddressFamily, _ text: String) throws -> [String] {
      laptop.joinable(family, listen: try listen(text)).map(\.device.name)
    }
    #expect(try names(.ipv4, "0.0.0.0:7474") == ["wlan0", "eth0"])
    #expect(try names(.ipv6, "0.0.0.0:7474") == ["wlan0", "usb0"])
    #expect(try names(.ipv6, "192.0.2.7:7474") == ["wlan0"])
    #expect(try names(.ipv6, "203.0.113.7:7474") == [])
    #expect(try names(.ipv4, "127.0.0.1:7474") == [])
  }
}
