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
  private enum Promise {
    static let genuine = "each stored unit of a photo is its author's"
    static let progress = "the progress of a photo is stored, and never goes back"
    static let readable = "what counts as complete of a photo can be read"
    static let lastCopy = "the last copy of a photo stays"
    static let shown = "no element of another author hides a photo"
    static let fetched = "no list of another author keeps a photo from a node"
  }

  private struct Place: Hashable {
    let node: Int
    let blob: BlobID
  }

  /// The ciphertext at the author, by unit.
  private var ciphertexts: [BlobID: [[UInt8]]] = [:]
  /// What was added, by the address of the original.
  private var pictures: [BlobID: (report: RowID, author: UserID, draft: PhotoDraft)] = [:]
  private var progress: [Place: UnitSet] = [:]
  /// Complete originals that were read.
  private var read: Set<Place> = []
  /// Nodes whose disk was restored: what only they held may be lost.
  private var forgetful: Set<Int> = []
  private var turn = 0
  private static let blobsAtATime = 8

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    forgetful.insert(node.index)
    progress = progress.filter { $0.key.node != node.index }
    read = read.filter { $0.node != node.index }
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard case .photo(let report, let draft) = act else { return }
    var listed: Set<BlobID> = []
    try node.store.forEachPageOfLists { page in
      for list in page where list.opening.certificate == node.credentials.certificate {
        listed.insert(list.listing.id)
      }
    }
    let own = try node.store.listedBlobs().filter { listed.contains($0.id) }
    // The photo was listed just now.
    for blob in own.suffix(2) where !blob.units.isComplete {
      world.report(
        Promise.progress,
        "\(node.name) acknowledged photo \(blob.id.short) with \(blob.units.count) units stored")
    }
    for blob in own where ciphertexts[blob.id] == nil && blob.units.isComplete {
      var units: [[UInt8]] = []
      for number in 0..<blob.units.units {
        units.append(try node.store.unit(number, of: blob.listing)?.bytes ?? [])
      }
      ciphertexts[blob.id] = units
      let length = units.reduce(0) { $0 + $1.count }
      if length != Int(blob.listing.length) {
        world.report(
          Promise.readable, "\(node.name) acknowledged photo \(blob.id.short) without its bytes")
      }
      if blob.listing.kind == .original, draft.original.bytes.count == length {
        pictures[blob.id] = (report, node.credentials.user, draft)
      }
    }
  }

  func look(_ world: World) throws {
    guard !ciphertexts.isEmpty else { return }
    turn += 1
    for node in world.mesh.someNodes(turn: turn) {
      try check(node, in: world, mostReads: Self.blobsAtATime)
    }
  }

  func conclude(_ world: World) throws {
    guard !ciphertexts.isEmpty else { return }
    for node in world.nodes where node.isRunning {
      try check(node, in: world, mostReads: .max)
    }
    try checkLastCopies(in: world)
    for node in world.nodes where world.isPromisedOthersWork(node) {
      try checkShown(at: node, in: world)
    }
  }

  /// After all nodes have converged, a report shows each photo of an author who is not revoked.
  private func checkShown(at node: SimulatedNode, in world: World) throws {
    guard node.reads, forgetful.isEmpty, let replica = node.replica else { return }
    let revoked = Set(world.nodes.filter(world.isRevoked).map(\.credentials.user))
    let names = world.scenario.namesOfInsiders
    let insiders = world.nodes.filter { names.contains($0.name) }.map(\.credentials.user)
    for (id, picture) in pictures.sorted(by: { $0.key < $1.key })
    where !revoked.contains(picture.author) {
      do {
        let photos = try replica.queries.photos(of: picture.report)
        let own = photos.first { $0.address == id && $0.author == picture.author }
        if own?.original.stall == .overBound, !insiders.contains(picture.author) {
          world.report(Promise.fetched, "\(node.name) counts no list of photo \(id.short)")
        }
        guard try own == nil && hasPlace(picture.author, in: picture.report, at: node) else {
          continue
        }
        world.report(Promise.shown, "\(node.name) does not show photo \(id.short)")
      } catch let refusal as Refusal where refusal.kind == .unknown {
        // The report was deleted.
      }
    }
  }

  /// Whether each photo of an author has a place in a report: authors take turns.
  private func hasPlace(
    _ author: UserID, in report: RowID, at node: SimulatedNode
  ) throws -> Bool {
    let row = try node.store.row(RowKey(kind: .report, id: report))
    let photos = row?.values(of: .reportPhotos) ?? []
    let own = photos.count { $0.author == author }
    return photos.count < Limits.photosPerReport
      || own * Set(photos.map(\.author)).count <= Limits.photosPerReport
  }

  private func check(_ node: SimulatedNode, in world: World, mostReads: Int) throws {
    var reads = 0
    for blob in try node.store.listedBlobs() {
      guard let units = ciphertexts[blob.id] else { continue }
      let place = Place(node: node.index, blob: blob.id)
      try compare(blob, at: place, with: units, of: node, in: world)
      progress[place] = blob.isDeleted ? nil : blob.units
      if !blob.units.isComplete { read.remove(place) }
      guard let picture = pictures[blob.id], !blob.isDeleted, reads < mostReads,
        !read.contains(place)
      else { continue }
      reads += 1
      if !blob.units.isComplete {
        try compareProgress(of: blob, of: picture.report, at: node, in: world)
      } else if try isRead(
        blob.id, of: picture.report, by: picture.author, as: picture.draft, at: node, in: world)
      {
        read.insert(place)
      }
    }
  }

  /// No unit is lost, and each new one is the author's.
  private func compare(
    _ blob: StoredBlob, at place: Place, with units: [[UInt8]], of node: SimulatedNode,
    in world: World
  ) throws {
    let before = progress[place] ?? UnitSet(units: blob.units.units)
    if !blob.isDeleted, !forgetful.contains(node.index) {
      let gone = (0..<before.units).filter { before.contains($0) && !blob.units.contains($0) }
      if !gone.isEmpty {
        world.report(
          Promise.progress, "\(node.name) lost units \(gone) of photo \(blob.id.short)")
      }
    }
    for number in 0..<blob.units.units
    where blob.units.contains(number) && !before.contains(number) {
      let name = "unit \(number) of photo \(blob.id.short)"
      guard let unit = try node.store.unit(number, of: blob.listing) else {
        world.report(Promise.readable, "\(node.name) counts \(name) and does not hold it")
        continue
      }
      if unit.bytes != units[number] {
        world.report(Promise.genuine, "\(node.name) holds another \(name)")
      }
    }
  }

  /// No more of a photo is shown than what is stored.
  private func compareProgress(
    of blob: StoredBlob, of report: RowID, at node: SimulatedNode, in world: World
  ) throws {
    guard node.reads, let replica = node.replica else { return }
    do {
      let photos = try replica.queries.photos(of: report)
      let (stored, all) = (blob.units.count, blob.units.units)
      guard let shown = photos.first(where: { $0.address == blob.id })?.original.percent,
        shown > 100 * stored / all
      else { return }
      world.report(
        Promise.progress,
        "\(node.name) shows \(shown) % of photo \(blob.id.short): \(stored) of \(all) units")
    } catch let refusal as Refusal where refusal.kind == .unknown {
      // The report was deleted, or has not arrived.
    }
  }

  /// A complete original is readable where its report exists. Returns whether it was read.
  private func isRead(
    _ id: BlobID, of report: RowID, by author: UserID, as draft: PhotoDraft,
    at node: SimulatedNode, in world: World
  ) throws -> Bool {
    guard node.reads, let replica = node.replica else { return false }
    do {
      let photos = try replica.queries.photos(of: report)
      guard let photo = photos.first(where: { $0.address == id && $0.author == author }) else {
        return false
      }
      let bytes = try replica.queries.photoBytes(photo.id, of: report, kind: .original)
      if bytes != draft.original.bytes {
        world.report(
          Promise.readable, "\(node.name) shows another picture as photo \(id.short)")
      }
    } catch let refusal as Refusal {
      // The report was deleted, or has not arrived.
      guard refusal.kind != .unknown else { return false }
      world.report(
        Promise.readable, "\(node.name) has all of photo \(id.short): \(refusal)")
    }
    return true
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
      world.report(Promise.lastCopy, "the last copy of photo \(id.short) was deleted")
    }
  }
}
