internal import MusterModel

/// New data on its way to some peers, each on its session. Peers that get the same bytes share
/// them: of a thousand sessions, each costs its encryption alone.
struct Push: Sendable {
  let fresh: Fresh
  /// Devices to which receivers need not relay it.
  private let covered: Set<DeviceTag>
  /// The author of frames: in a send queue, authors have turns.
  private let author: CertificateHash?
  private var encoded: [Form: [PartQueue.Part]] = [:]

  /// What may differ between two peers.
  private struct Form: Hashable {
    let covered: Set<DeviceTag>
    let omitsPrevious: Bool
  }

  init(_ fresh: Fresh, covered: Set<DeviceTag>, author: CertificateHash?) {
    self.fresh = fresh
    self.covered = covered
    self.author = author
  }

  /// Returns the parts for one peer.
  ///
  /// - Parameters:
  ///   - known: covered devices of which the peer knows anyway.
  ///   - omitsPrevious: whether the peer has shown that it holds the frame before.
  mutating func parts(
    without known: [DeviceTag], omitsPrevious: Bool = false
  ) -> [PartQueue.Part] {
    let form = Form(covered: covered.subtracting(known), omitsPrevious: omitsPrevious)
    if let parts = encoded[form] { return parts }
    let parts = encode(form)
    encoded[form] = parts
    return parts
  }

  private func encode(_ form: Form) -> [PartQueue.Part] {
    switch fresh {
    case .records(let records):
      return Packet.pushing(records, covered: form.covered).map {
        PartQueue.Part($0, importance: Outbox.Importance(records), author: nil)
      }
    case .frames(let frames, let lane, let previous):
      var run = Run(frames, of: frames[0].strand, after: previous)
      if form.omitsPrevious { run.previous = nil }
      run.covered = form.covered
      var packet = Packet()
      packet.runs = [run]
      let isWhole = packet.encoded().count <= packetBytes
      let runs =
        isWhole ? [run] : Run.pieces(of: frames, as: frames[0].strand, after: previous)
      return runs.map {
        packet.runs = [$0]
        return PartQueue.Part(packet, importance: Outbox.Importance(lane), author: author)
      }
    }
  }
}

extension Packet {
  /// Splits records into packets that fit a datagram: with the list of covered devices, records
  /// from one packet may need more than one. The tags are derived from the first record, so they go
  /// with it.
  static func pushing(
    _ records: [LatestRecord], covered: Set<DeviceTag>
  ) -> [Packet] {
    var (packets, rest) = ([Packet](), records[...])
    while !rest.isEmpty {
      var count = rest.count
      var packet = Packet()
      packet.pushed = [
        PushedRecords(records: Array(rest), covered: packets.isEmpty ? covered : [])
      ]
      while count > 1, packet.encoded().count > packetBytes {
        count = (count + 1) / 2
        packet.pushed[0].records = Array(rest.prefix(count))
      }
      if packet.encoded().count > packetBytes {
        packet.pushed = []
        packet.records = Array(rest.prefix(1))
      }
      packets.append(packet)
      rest = rest.dropFirst(count)
    }
    return packets
  }
}
