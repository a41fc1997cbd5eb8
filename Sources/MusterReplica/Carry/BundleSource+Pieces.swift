internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Writes bundles for a memory stick: everything that is held, in pieces, of which only one is in
/// memory.
///
///     chains │ evidence │ control logs, the root's first │ urgent │ state │ history │ records │
///     keys │ quarantined frames │ photos │ end mark
///
/// The first sections are needed to judge the later ones.
extension BundleSource {
  /// The approximate size of a piece.
  private static let pieceBytes = 512 * 1024

  /// Returns the next piece of a bundle.
  ///
  /// - Parameter place: empty for the first piece, else the `next` of the previous one.
  func piece(at place: [UInt8], random: inout DeterministicRandom) throws -> BundlePiece {
    var cursor = BundleCursor(salt: random.bytes16())
    if !place.isEmpty {
      guard let known = BundleCursor(place) else {
        throw Refusal("this is not a position in a bundle")
      }
      cursor = known
    }
    let form = BundleForm(of: context.local, salt: cursor.salt)
    var bytes = place.isEmpty ? form.header : []
    var stock = BundleContents(try parts())
    while bytes.count < Self.pieceBytes, cursor.stage != .end {
      for carried in try contents(at: &cursor, of: &stock, random: &random) {
        bytes += form.sealed(carried, number: cursor.number, nonce: random.nonce24())
        cursor.count(carried)
      }
    }
    let isEnd = cursor.stage == .end
    if isEnd { bytes += form.sealed(.end, number: cursor.number, nonce: random.nonce24()) }
    return BundlePiece(
      bytes: bytes, next: isEnd ? [] : cursor.bytes, frames: Int(cursor.frames),
      records: Int(cursor.records))
  }
}
