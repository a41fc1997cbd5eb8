internal import MusterCrypto
internal import MusterModel

/// The result of control frames, certificates and membership evidence, in the one form that the
/// state hash covers (docs/wire.md §7). Nodes with equal state hashes have the same members,
/// revocations and epochs.
struct ControlOutcome: Sendable {
  /// The certificates that count, each with its distance from the root.
  var members: [(hash: CertificateHash, rank: Int)] = []
  /// Frames whose revocations count, and the marks that represent councils' decisions in epochs.
  var revocations: [FrameHash] = []
  /// Frames past a cut that count because they were released.
  var released: [Head] = []
  /// The announcements that count.
  var epochs: [(id: EpochID, generation: UInt32, maker: CertificateHash)] = []
  /// The last sequence that counts of each log that is proved to have too many branches.
  var forkEnds: [LogID: UInt64] = [:]
  /// Councils that count and are not replaced.
  var councils: [CouncilHash] = []

  /// The hash of "muster control 1" ‖ six lists. A list is a count (u32) and its distinct elements
  /// in ascending order.
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
