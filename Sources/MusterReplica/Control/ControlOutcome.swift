internal import MusterCrypto
internal import MusterModel

/// What control frames, certificates and membership evidence come to, in one form that the state
/// hash covers (docs/wire.md §7): nodes with equal state hashes have the same members, revocations
/// and epochs.
struct ControlOutcome: Sendable {
  /// Counting certificates, and how far each is from the root.
  var members: [(hash: CertificateHash, rank: Int)] = []
  /// Frames whose revocations count, and what stands for the decisions of councils in epochs.
  var revocations: [FrameHash] = []
  /// Frames that count although they are past a cut.
  var released: [Head] = []
  /// Counting announcements.
  var epochs: [(id: EpochID, generation: UInt32, maker: CertificateHash)] = []
  /// The last sequence that counts of logs that are proved to have more branches than count.
  var forkEnds: [LogID: UInt64] = [:]
  /// Councils that count and are not replaced.
  var councils: [CouncilHash] = []

  /// "muster control 1" ‖ six lists, each a number (u32) and its elements in ascending order, each
  /// once.
  var hash: Bytes32 {
    var writer = ByteWriter()
    writer.append(fixed: Array("muster control 1".utf8))
    Self.append(members, to: &writer) { element, member in
      element.append(member.hash)
      element.append(UInt8(member.rank))
    }
    Self.append(revocations, to: &writer) { $0.append($1) }
    Self.append(released, to: &writer) { element, head in
      element.append(head.log)
      element.append(head.sequence)
      element.append(head.hash)
    }
    Self.append(epochs, to: &writer) { element, epoch in
      element.append(epoch.id)
      element.append(epoch.generation)
      element.append(epoch.maker)
    }
    Self.append(forkEnds, to: &writer) { element, fork in
      element.append(fork.key)
      element.append(fork.value)
    }
    Self.append(councils, to: &writer) { $0.append($1) }
    return Blake2b.hash256(writer.bytes)
  }

  private static func append<List: Sequence>(
    _ list: List, to writer: inout ByteWriter,
    _ write: (inout ByteWriter, List.Element) -> Void
  ) {
    let elements = list.map { item in
      var element = ByteWriter()
      write(&element, item)
      return element.bytes
    }
    let sorted = Set(elements).sorted { $0.lexicographicallyPrecedes($1) }
    writer.append(UInt32(sorted.count))
    for element in sorted { writer.append(fixed: element) }
  }
}
