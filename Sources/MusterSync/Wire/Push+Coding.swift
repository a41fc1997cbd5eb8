internal import MusterModel

extension DeviceTag {
  private static let encodedBytes = 2

  /// Encodes tags in ascending order, so that equal sets have equal encodings.
  static func encoded(_ tags: Set<DeviceTag>) -> [UInt8] {
    var writer = ByteWriter()
    for tag in tags.sorted() { writer.append(tag.raw) }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(WireError) -> Set<DeviceTag> {
    guard bytes.count.isMultiple(of: encodedBytes) else { throw .malformed("device tags") }
    var reader = ByteReader(bytes)
    var tags: Set<DeviceTag> = []
    do {
      while reader.remaining > 0 { tags.insert(DeviceTag(raw: try reader.integer(UInt16.self))) }
    } catch {
      throw .malformed("device tags")
    }
    return tags
  }
}

extension PushedRecords {
  var wire: WirePushedRecords {
    var wire = WirePushedRecords()
    wire.records = LatestRecord.wires(records)
    wire.covered = .init(DeviceTag.encoded(covered))
    return wire
  }
}

extension PeerAddress {
  var wire: WirePeerAddress {
    var wire = WirePeerAddress()
    wire.device = .init(device.bytes)
    wire.address = .init(endpoint.address)
    wire.port = UInt32(endpoint.port)
    return wire
  }

  init(_ wire: WirePeerAddress) throws(WireError) {
    guard let device = DeviceID(bytes: wire.device), let port = UInt16(exactly: wire.port),
      let endpoint = Endpoint(address: Array(wire.address), port: port)
    else { throw .malformed("peer address") }
    self.init(device: device, endpoint: endpoint)
  }
}
