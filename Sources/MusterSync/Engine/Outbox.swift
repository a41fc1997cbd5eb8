internal import MusterModel

/// What one `handle` wants to say to each peer, packed into as few datagrams as it fits.
///
/// Parts of a packet are encoded one by one: Protocol Buffers of one type, joined, parse as one
/// message with all their repeated fields.
struct Outbox: Sendable {
  /// In the order in which they leave (design §7, Rate).
  enum Importance: UInt8, Comparable {
    case control, urgent, positions, state, history

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    init(_ lane: Lane) {
      switch lane {
      case .control: self = .control
      case .urgent: self = .urgent
      case .state: self = .state
      case .history: self = .history
      }
    }
  }

  private var parts: [DeviceID: [(importance: Importance, bytes: [UInt8])]] = [:]

  mutating func add(_ packet: Packet, importance: Importance, to device: DeviceID) {
    let bytes = packet.encoded()
    precondition(bytes.count <= packetBytes, "part of \(bytes.count) bytes")
    parts[device, default: []].append((importance, bytes))
  }

  /// Takes everything: per device, the plaintexts of its datagrams.
  mutating func drain() -> [(DeviceID, [[UInt8]])] {
    defer { parts = [:] }
    return parts.keys.sorted().map { device in (device, Self.packed(parts[device] ?? [])) }
  }

  private static func packed(_ parts: [(importance: Importance, bytes: [UInt8])]) -> [[UInt8]] {
    let ordered = parts.enumerated().sorted {
      ($0.element.importance, $0.offset) < ($1.element.importance, $1.offset)
    }
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    for (_, part) in ordered {
      if packet.count + part.bytes.count > packetBytes {
        packets.append(packet)
        packet = []
      }
      packet += part.bytes
    }
    if !packet.isEmpty { packets.append(packet) }
    return packets
  }
}
