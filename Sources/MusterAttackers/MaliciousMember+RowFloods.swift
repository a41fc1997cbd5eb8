package import MusterModel
package import MusterReplica
internal import MusterSync

/// What a member writes to one row without end, to make it dear for everyone. Each write is
/// permitted; what of it counts is bounded by strand.
extension MaliciousMember {
  /// The kind of the writes.
  package enum RowFlood: CaseIterable, Sendable {
    case comments
    /// Of contents that the report never showed.
    case confirmations
    /// Of writes that do not exist.
    case withdrawals
    /// Of blobs that do not exist.
    case photos
    /// To a directive.
    case answers
    /// Values of a register of the member's own report, none of which supersedes another.
    case details
    /// To a report that was never created.
    case unknownRow

    /// What kind of row it is about.
    package var entity: EntityKind { self == .answers ? .directive : .report }
    /// Whether only the owner of the row may write so.
    package var isOfOwner: Bool { self == .details }
    /// The field, of which the row keeps a bounded number of values.
    package var field: Field {
      switch self {
      case .comments, .unknownRow: .reportComments
      case .confirmations, .withdrawals: .reportContentConfirmations
      case .photos: .reportPhotos
      case .answers: .directiveAcknowledgements
      case .details: .reportDescription
      }
    }
  }

  /// Begins each text of a flood.
  package static let floodWord = "Flood "

  /// Writes to a row that many times.
  package static func flood(
    _ row: RowID, with flood: RowFlood, _ count: Int, lane: Lane, by replica: inout Replica,
    now: ClockReading
  ) throws -> Replica.Outcome {
    let user = ModifiedProgram.identity(of: replica).author.user
    let operations = (0..<count).map { number in
      let drawn = ModifiedProgram.draw(by: &replica) { ($0.bytes16(), $0.bytes(32)) }
      return Operation.write(write(flood, to: row, number, drawn.0, drawn.1, by: user))
    }
    return try author(&replica, unchecked: operations, lane: lane, now: now)
  }

  private static func write(
    _ flood: RowFlood, to row: RowID, _ number: Int, _ name: Bytes16, _ bytes: [UInt8],
    by user: UserID
  ) -> Write {
    let value: Value?
    var supersedes: [Dot] = []
    switch flood {
    case .comments, .unknownRow, .details: value = .text("\(floodWord)\(number)")
    case .confirmations: value = .bytes(bytes)
    case .withdrawals:
      value = nil
      supersedes = (0..<16).map { Dot(frame: name, index: $0) }
    case .photos: value = Bytes32(bytes).map { .photo(photo(ofBlob: $0)) }
    case .answers: value = .reply(user, note: "\(floodWord)\(number)")
    }
    return Write(row: row, field: flood.field, value: value, supersedes: supersedes)
  }

  private static func photo(ofBlob root: Bytes32, bytes: Int = 1000) -> Photo {
    func blob(_ length: Int) -> BlobReference {
      BlobReference(
        root: root, length: UInt32(length), key: .zero, type: .jpeg, width: 1, height: 1)
    }
    return Photo(original: blob(bytes), thumbnail: blob(500))
  }

  /// Lists more originals of the largest size than the bound of a certificate has room for, in
  /// photos of a report. All later lists of this device are beyond its bound.
  package static func listPastBound(
    in report: RowID, by replica: inout Replica, now: ClockReading
  ) throws -> Replica.Outcome {
    let count = Limits.blobBytesPerCertificate / Limits.blobBytes + 1
    let roots = (0..<count).compactMap { _ in
      Bytes32(ModifiedProgram.draw(by: &replica) { $0.bytes(32) })
    }
    let operations = roots.map { root in
      let photo = photo(ofBlob: root, bytes: Limits.blobBytes)
      return Operation.write(Write(row: report, field: .reportPhotos, value: .photo(photo)))
    }
    return try author(&replica, unchecked: operations, lane: .state, now: now)
  }
}
