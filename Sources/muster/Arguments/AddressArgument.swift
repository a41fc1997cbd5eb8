/// `HOST:PORT` or `[IPV6]:PORT`, checked for its form. The node resolves the name.
struct AddressArgument: Hashable {
  let text: String

  init(parsing text: String) throws(BadArgument) {
    guard let colon = text.lastIndex(of: ":") else {
      throw BadArgument("the port is missing: write it as 192.0.2.1:7474")
    }
    let (host, port) = (text[..<colon], text[text.index(after: colon)...])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
    guard !host.isEmpty, isBracketed || !host.contains(where: { ":[] ".contains($0) }) else {
      throw BadArgument("write an address as 192.0.2.1:7474 or [2001:db8::1]:7474")
    }
    guard port.utf8.allSatisfy({ (48...57).contains($0) }), UInt16(port) != nil else {
      throw BadArgument("the port must be a number from 0 to 65535")
    }
    self.text = text
  }
}
