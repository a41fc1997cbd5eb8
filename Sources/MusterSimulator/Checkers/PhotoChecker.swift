import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// Checks the photos: every stored unit is what the author's device wrote, progress never goes
/// back, a complete photo is readable and is the one that was added, and the last copy is never
/// deleted.
///
/// It compares bytes with those at the author, and computes no Merkle tree.
final class PhotoChecker: Checker {
  private let promise = "photos arrive whole, and the last copy stays"

  private struct Place: Hashable {
    let node: Int
    let blob: BlobID
  }

  /// The ciphertext at the author, by unit.
  private var ciphertexts: [BlobID: [[UInt8]]] = [:]
  /// What was added, by the address of the original.
  private var pictures: [BlobID: (report: RowID, draft: PhotoDraft)] = [:]
  private var progress: [Place: UnitSet] = [:]
  /// Nodes whose disk was restored: what only they held may be lost.
  private var forgetful: Set<Int> = []
  private var turn = 0
  private static let blobsAtATime = 8

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    forgetful.insert(node.index)
    progress = progress.filter { $0.key.node != node.index }
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard case .photo(let report, let draft) = act else { return }
    for blob in try node.store.listedBlobs() where ciphertexts[blob.id] == nil {
      guard blob.certificate == node.credentials.certificate, blob.units.isComplete else {
        continue
      }
      var units: [[UInt8]] = []
      for number in 0..<blob.units.units {
        units.append(try node.store.unit(number, of: blob.listing)?.bytes ?? [])
      }
      ciphertexts[blob.id] = units
      let length = units.reduce(0) { $0 + $1.count }
      if length != Int(blob.listing.length) {
        world.report(promise, "\(node.name) acknowledged photo \(blob.id.short) without its bytes")
      }
      if blob.listing.kind == .original, draft.original.bytes.count == length {
        pictures[blob.id] = (report, draft)
      }
    }
  }

  func look(_ world: World) throws {
    guard !ciphertexts.isEmpty else { return }
    turn += 1
    for node in world.mesh.someNodes(turn: turn) { try check(node, in: world) }
  }

  func conclude(_ world: World) throws {
    guard !ciphertexts.isEmpty else { return }
    for node in world.nodes where node.isRunning { try check(node, in: world) }
    try checkLastCopies(in: world)
  }

  private func check(_ node: SimulatedNode, in world: World) throws {
    var looked = 0
    for blob in try node.store.listedBlobs() {
      guard let units = ciphertexts[blob.id] else { continue }
      let place = Place(node: node.index, blob: blob.id)
      let before = progress[place]
      if !blob.isDeleted, let before, !forgetful.contains(node.index) {
        let gone = (0..<before.units).filter { before.contains($0) && !blob.units.contains($0) }
        if !gone.isEmpty {
          world.report(promise, "\(node.name) lost units \(gone) of photo \(blob.id.short)")
        }
      }
      progress[place] = blob.isDeleted ? nil : blob.units
      let new = (0..<blob.units.units).filter {
        blob.units.contains($0) && before?.contains($0) != true
      }
      for number in new
      where try node.store.unit(number, of: blob.listing)?.bytes != units[number] {
        world.report(
          promise, "\(node.name) holds another unit \(number) of photo \(blob.id.short)")
      }
      guard blob.units.isComplete, looked < Self.blobsAtATime, before?.isComplete != true else {
        continue
      }
      looked += 1
      try read(blob.id, at: node, in: world)
    }
  }

  /// A complete original is readable where its report exists.
  private func read(_ id: BlobID, at node: SimulatedNode, in world: World) throws {
    guard node.reads, let picture = pictures[id], let replica = node.replica else { return }
    do {
      let bytes = try replica.queries.photoBytes(id, of: picture.report, kind: .original)
      if bytes != picture.draft.original.bytes {
        world.report(promise, "\(node.name) shows another picture as photo \(id.short)")
      }
    } catch let refusal as Refusal where refusal.kind == .unknown {
      // The report was deleted, or has not arrived.
    }
  }

  /// Of what a node deleted, another node keeps all.
  private func checkLastCopies(in world: World) throws {
    guard forgetful.isEmpty else { return }
    var kept: Set<BlobID> = []
    var deleted: Set<BlobID> = []
    for node in world.nodes {
      for blob in try node.store.listedBlobs() {
        if blob.units.isComplete { kept.insert(blob.id) }
        if blob.isDeleted { deleted.insert(blob.id) }
      }
    }
    for id in deleted.subtracting(kept).sorted() where ciphertexts[id] != nil {
      world.report(promise, "the last copy of photo \(id.short) was deleted")
    }
  }
}
