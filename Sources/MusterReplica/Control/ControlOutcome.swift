internal import MusterCrypto
internal import MusterModel

/// What control frames, certificates and membership evidence come to, in one form that the state
/// hash covers (docs/wire.md §7): nodes with equal state hashes have the same members, revocations
/// and epochs.
struct ControlOutcome: Sendable {
  /// Counting certificates, and how far each is from the root.
  var members: [(hash: CertificateHash, rank: Int)] = []
  /// Frames whose revocations count, and what stands for the decisions of councils.
  var revocations: [FrameHash] = []
  /// Frames that count although they are past a cut.
  var released: [Head] = []
  /// Counting announcements.
  var epochs: [(id: EpochID, generation: UInt32, maker: CertificateHash)] = []
  /// The last sequence that counts of logs that are proved to have more branches than count.
  var forkEnds: [LogID: UInt64] = [:]

  /// "muster control 1" ‖ five lists, each a number (u32) and its elements in ascending order, each
  /// once.
  var hash: Bytes32 {
    var writer = ByteWriter()
    writer.append(fixed: Array("muster control 1".utf8))
    Self.append(
      members.map { member in
        Self.element {
          $0.append(member.hash)
          $0.append(UInt8(member.rank))
        }
      }, to: &writer)
    Self.append(revocations.map(\.bytes), to: &writer)
    Self.append(
      released.map { head in
        Self.element {
          $0.append(head.log)
          $0.append(head.sequence)
          $0.append(head.hash)
        }
      }, to: &writer)
    Self.append(
      epochs.map { epoch in
        Self.element {
          $0.append(epoch.id)
          $0.append(epoch.generation)
          $0.append(epoch.maker)
        }
      }, to: &writer)
    Self.append(
      forkEnds.map { log, end in
        Self.element {
          $0.append(log)
          $0.append(end)
        }
      }, to: &writer)
    return Blake2b.hash256(writer.bytes)
  }

  private static func element(_ fill: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    fill(&writer)
    return writer.bytes
  }

  private static func append(_ elements: [[UInt8]], to writer: inout ByteWriter) {
    let sorted = Set(elements).sorted { $0.lexicographicallyPrecedes($1) }
    writer.append(UInt32(sorted.count))
    for element in sorted { writer.append(fixed: element) }
  }
}
