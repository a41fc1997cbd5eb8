import MusterModel
@testable import MusterTransport
import NIOCore
import Testing

struct AddressTests {
  @Test(arguments: [
    "192.0.2.1:7474", "0.0.0.0:0", "255.255.255.255:65535",
    "[2001:db8::1]:7474", "[fe80::1%3]:7474",
  ])
  func `an endpoint as it is printed reads back`(text: String) throws {
    #expect(try AddressText(text).literal()?.description == text)
  }

  @Test func `short forms and mapped addresses mean the same endpoint`() async throws {
    #expect(
      try await UDPTransport.resolve("[::1]:7").address == [UInt8](repeating: 0, count: 15) + [1])
    #expect(
      try await UDPTransport.resolve("[::ffff:192.0.2.1]:7").description == "192.0.2.1:7")
  }

  @Test(arguments: [
    ("", "the port is missing, as in 192.0.2.1:7474"),
    ("192.0.2.1", "the port is missing, as in 192.0.2.1:7474"),
    (":7474", "the host is missing, as in 192.0.2.1:7474"),
    ("::1:7474", "an IPv6 address with a port is written [::1]:7474"),
    ("[::1]7474", "an IPv6 address with a port is written [::1]:7474"),
    ("[::1", "an IPv6 address with a port is written [::1]:7474"),
    ("[]:7474", "the host is missing, as in 192.0.2.1:7474"),
    ("[example]:7474", "[example] is not an IPv6 address"),
    ("[::1%]:7474", "[::1%] is not an IPv6 address"),
    ("[::1%nosuchinterface]:7474", "[::1%nosuchinterface] is not an IPv6 address"),
    ("192.0.2.1:", "the port is a number from 0 to 65535"),
    ("192.0.2.1:65536", "the port is a number from 0 to 65535"),
    ("192.0.2.1:+7", "the port is a number from 0 to 65535"),
    ("192.0.2.1:-7", "the port is a number from 0 to 65535"),
    ("192.0.2.1:0", "port 0 cannot be sent to"),
  ])
  func `what is no address is refused with the reason`(text: String, reason: String) async {
    await #expect(throws: TransportError.badAddress(text, reason: reason)) {
      try await UDPTransport.resolve(text)
    }
  }

  @Test func `a host with a NUL or too long for a name is refused`() async {
    for host in ["a\u{0}b", String(repeating: "a", count: 256)] {
      await #expect(throws: TransportError.badAddress(host + ":7", reason: "the host is invalid")) {
        try await UDPTransport.resolve(host + ":7")
      }
    }
  }

  @Test func `a name is looked up, in the family asked for`() async throws {
    let ipv4 = try await UDPTransport.resolve("localhost:7474", family: .ipv4)
    #expect(ipv4.description == "127.0.0.1:7474")
  }

  @Test func `a name that does not exist is refused with the name`() async {
    // RFC 6761 reserves .invalid for names that never exist.
    let refusal = await #expect(throws: TransportError.self) {
      try await UDPTransport.resolve("muster.invalid:7474")
    }
    guard case .unresolvedName(let name, _) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(name == "muster.invalid")
    #expect(refusal?.description.contains("\n") == false)
  }

  @Test func `a transport listens on addresses, not on names`() {
    #expect(throws: TransportError.self) { try UDPConfiguration(listen: "localhost:7474") }
    #expect(throws: TransportError.self) { try UDPConfiguration(listen: "7474") }
  }

  @Test(arguments: ["192.0.2.1:7474", "[2001:db8::1]:0", "[fe80::1%7]:65535"])
  func `an endpoint survives the operating system's form, scope included`(text: String) throws {
    let endpoint = try #require(try AddressText(text).literal())
    #expect(Endpoint(endpoint.socketAddress) == endpoint)
  }

  @Test func `the operating system's form is the one that other programs make`() throws {
    let endpoint = try #require(Endpoint(address: [192, 0, 2, 1], port: 7474))
    #expect(endpoint.socketAddress == (try SocketAddress(ipAddress: "192.0.2.1", port: 7474)))
    let announce = MulticastGroup.announce
    #expect(announce.endpoint(.ipv4).description == "239.77.85.83:7475")
    #expect(
      announce.endpoint(.ipv6).socketAddress
        == (try SocketAddress(ipAddress: "ff02::4d55:5354", port: 7475)))
    #expect(announce.endpoint(.ipv4).socketAddress.isMulticast)
    #expect(announce.endpoint(.ipv6).socketAddress.isMulticast)
  }

  @Test func `a path of the file system is no endpoint`() throws {
    #expect(Endpoint(try SocketAddress(unixDomainSocketPath: "/run/x")) == nil)
  }
}
