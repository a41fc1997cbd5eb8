import MusterTestKit

/// A bridge with some laptops on it, `10.77.<wire>.<laptop>/24`. Laptops forward no packets, so
/// that two of them reach each other only on a shared wire.
struct Wire {
  let number: Int
  private let space: String
  private let laptops: [Laptop]

  /// - Parameter space: the namespace of the bridge.
  init(_ number: Int, in space: String, between laptops: [Laptop]) throws {
    self.number = number
    self.space = space
    self.laptops = laptops
    try ip(
      space, "link", "add", "wire\(number)", "type", "bridge", "mcast_snooping", "0")
    try ip(space, "link", "set", "wire\(number)", "up")
    for laptop in laptops {
      try ip(
        space, "link", "add", port(of: laptop), "type", "veth",
        "peer", "name", interface, "netns", laptop.space)
      try ip(space, "link", "set", port(of: laptop), "master", "wire\(number)", "up")
      try bring(laptop, at: laptop.number)
    }
  }

  func address(_ host: Int) -> String { "10.77.\(number).\(host)" }

  /// Takes all links down, which the laptops detect.
  func cut() throws {
    for laptop in laptops { try ip(space, "link", "set", port(of: laptop), "down") }
  }

  func repair() throws {
    for laptop in laptops { try ip(space, "link", "set", port(of: laptop), "up") }
  }

  /// Drops everything while all links stay up, as when a radio is out of range.
  func muffle() throws {
    for laptop in laptops { try ip(space, "link", "set", port(of: laptop), "nomaster") }
  }

  func unmuffle() throws {
    for laptop in laptops {
      try ip(space, "link", "set", port(of: laptop), "master", "wire\(number)")
    }
  }

  /// Takes a laptop's interface down and removes its address.
  func take(_ laptop: Laptop) throws {
    try ip(laptop.space, "link", "set", interface, "down")
    try ip(laptop.space, "address", "flush", "dev", interface)
  }

  /// Assigns an address to a laptop's interface and brings it up.
  func bring(_ laptop: Laptop, at host: Int) throws {
    try ip(laptop.space, "address", "add", "\(address(host))/24", "dev", interface)
    try ip(laptop.space, "link", "set", interface, "up")
  }

  /// Limits the rate in each direction of each laptop.
  func narrow(to rate: String) throws {
    for laptop in laptops {
      for (space, device) in [(space, port(of: laptop)), (laptop.space, interface)] {
        try Namespaces.run(
          "tc", "-n", space, "qdisc", "add", "dev", device, "root", "tbf",
          "rate", rate, "burst", "3000", "latency", "1s")
      }
    }
  }

  /// Returns how often packets were delayed since the wire was narrowed: mostly at a laptop, since
  /// packets that were delayed there are not delayed again.
  func heldBack() throws -> Int {
    try ([space] + laptops.map(\.space)).reduce(0) { sum, space in
      let ports = try Namespaces.run("tc", "-n", space, "-s", "qdisc", "show")
      return ports.matches(of: /overlimits (\d+)/).reduce(sum) { $0 + (Int($1.1) ?? 0) }
    }
  }

  /// Sets the largest packet that leaves a laptop, as a tunnel does.
  func limitPackets(of laptop: Laptop, to bytes: Int) throws {
    try ip(laptop.space, "link", "set", interface, "mtu", "\(bytes)")
  }

  /// Sends a laptop, from another one, a forged ICMP message (RFC 1191): a datagram from its node to
  /// that of the other one was too large for the path.
  func forgeSmallPath(of laptop: Laptop, to other: Laptop, maximum: Int) throws {
    let program = """
      import socket, struct, sys
      source, target, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def sum16(data):
          total = sum(struct.unpack(f"!{len(data) // 2}H", data))
          while total >> 16: total = (total & 0xFFFF) + (total >> 16)
          return ~total & 0xFFFF
      udp = struct.pack("!4H", 7474, 7474, 1208, 0)
      ip = struct.pack("!2B3H2BH4s4s", 0x45, 0, 1228, 1, 0x4000, 64, 17, 0,
          socket.inet_aton(source), socket.inet_aton(target))
      icmp = lambda check: struct.pack("!2B3H", 3, 4, check, 0, most) + ip + udp
      sender = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
      sender.sendto(icmp(sum16(icmp(0))), (source, 0))
      """
    try Namespaces.run(
      "ip", "netns", "exec", other.space, "python3", "-c", program, address(laptop.number),
      address(other.number), "\(maximum)")
  }

  /// Reads how many IP fragments a system made, from its `/proc/net/snmp`.
  static func fragmentsCreated(in counters: String) throws -> Int {
    let lines = counters.split(separator: "\n").filter { $0.hasPrefix("Ip:") }
      .map { $0.split(separator: " ") }
    guard lines.count == 2, let column = lines[0].firstIndex(of: "FragCreates"),
      let count = Int(lines[1][column])
    else { throw Failed("no counters of IP in \(counters)") }
    return count
  }

  private var interface: String { "eth\(number)" }

  private func port(of laptop: Laptop) -> String { "port\(number)-\(laptop.number)" }

  private func ip(_ space: String, _ words: String...) throws {
    try Namespaces.run(["ip", "-n", space] + words)
  }
}
