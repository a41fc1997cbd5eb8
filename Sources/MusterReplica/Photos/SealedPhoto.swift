internal import MusterCrypto
internal import MusterModel

/// A new photo: what its report gets, and the units of both blobs to store.
struct SealedPhoto {
  let photo: Photo
  let units: [BlobUnit]

  /// Encrypts the pictures in place, each under a key of its own.
  ///
  /// - Throws: `Refusal` for a picture out of range.
  init(_ draft: PhotoDraft, random: inout DeterministicRandom) throws(Refusal) {
    try Self.require(draft.original, as: .original)
    try Self.require(draft.thumbnail, as: .thumbnail)
    var (original, thumbnail) = (draft.original, draft.thumbnail)
    let (small, smallUnits) = Self.seal(&thumbnail, random: &random)
    let (large, largeUnits) = Self.seal(&original, random: &random)
    photo = Photo(
      original: large, thumbnail: small, takenAt: draft.takenAt, position: draft.position)
    units = smallUnits + largeUnits
  }

  private static func require(_ picture: PictureDraft, as kind: BlobKind) throws(Refusal) {
    guard (1...kind.mostBytes).contains(picture.bytes.count) else {
      throw Refusal(
        "the \(kind) has \(picture.bytes.count) bytes: give a picture of 1 to \(kind.mostBytes)")
    }
    guard Limits.photoPixels.contains(Int(picture.width)),
      Limits.photoPixels.contains(Int(picture.height))
    else {
      throw Refusal(
        "the \(kind) is \(picture.width) × \(picture.height): give one of 1 to "
          + "\(Limits.photoPixels.upperBound) pixels")
    }
  }

  private static func seal(
    _ picture: inout PictureDraft, random: inout DeterministicRandom
  ) -> (BlobReference, [BlobUnit]) {
    let drawn = Bytes32(random.bytes(32)) ?? .zero
    let (key, tree) = BlobCipher.seal(&picture.bytes, drawn: drawn)
    let reference = BlobReference(
      root: tree.root, length: UInt32(picture.bytes.count), key: key, type: picture.type,
      width: picture.width, height: picture.height)
    let units = (0..<tree.shape.units).map { tree.unit($0, of: picture.bytes) }
    picture.bytes = []
    return (reference, units)
  }
}
