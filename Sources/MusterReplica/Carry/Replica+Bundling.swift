internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Writes bundles for a memory stick: everything that is held, in pieces, of which only one is in
/// memory.
///
///     chains │ evidence │ control logs, the root's first │ urgent │ state │ history │ records │
///     keys │ quarantined frames │ photos │ end mark
///
/// The first sections are needed to judge the later ones.
extension Replica {
  /// The approximate size of a piece.
  private static let pieceBytes = 512 * 1024

  /// Returns the next piece of a bundle.
  ///
  /// - Parameter place: empty for the first piece, else the `next` of the previous one.
  public mutating func bundlePiece(at place: [UInt8]) throws -> BundlePiece {
    var cursor = BundleCursor(salt: own.random.bytes16())
    if !place.isEmpty {
      guard let known = BundleCursor(place) else {
        throw Refusal("this is not a position in a bundle")
      }
      cursor = known
    }
    let form = BundleForm(of: local, salt: cursor.salt)
    var bytes = place.isEmpty ? form.header : []
    let source = BundleSource(context: context, engine: engine, keyring: epochKeys.keyring)
    var stock = BundleContents(try source.parts())
    while bytes.count < Self.pieceBytes, cursor.stage != .end {
      for carried in try source.contents(at: &cursor, of: &stock, random: &own.random) {
        bytes += form.sealed(carried, number: cursor.number, nonce: own.random.nonce24())
        cursor.count(carried)
      }
    }
    let isEnd = cursor.stage == .end
    if isEnd { bytes += form.sealed(.end, number: cursor.number, nonce: own.random.nonce24()) }
    return BundlePiece(
      bytes: bytes, next: isEnd ? [] : cursor.bytes, frames: Int(cursor.frames),
      records: Int(cursor.records))
  }
}
