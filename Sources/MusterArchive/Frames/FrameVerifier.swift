internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Consecutive frames of one log that a signature proves.
struct VerifiedRun: Sendable {
  let frames: [Frame]
  /// If the first frame opens the log, what it states.
  let opening: Opening?

  var log: LogID { frames[0].log }
}

/// Verifies runs of frames before they are stored: hash chain, signature, certificate, operation.
///
/// The decoder of a bundle computes each hash from the contents and the operation, so the signature
/// of the last frame proves all frames of its run (docs/wire.md §3). What remains to be verified:
///
/// - frame 0 is the opening of exactly this log;
/// - the first frame follows a frame that is archived, or was verified before;
/// - the signature is valid under the certificate that opened the log, and that descends from the
///   root key;
/// - a log has no more branches than count, so that no author fills the archive with forks.
struct FrameVerifier {
  private let operation: OperationID
  private(set) var certificates: KnownCertificates
  private var openings: [LogID: Opening] = [:]
  /// Of logs that are not stored yet: their logs by certificate and lane.
  private var logsPerLane: [Owner: Int] = [:]
  /// The newest frame of each branch that was verified here or is archived.
  private var tips: [LogID: Set<FrameHash>] = [:]

  /// The blobs that verified and archived frames list.
  private var listings: [BlobID: BlobListing] = [:]

  private struct Owner: Hashable {
    let certificate: CertificateHash
    let lane: Lane
  }

  init(operation: OperationID, certificates: KnownCertificates) {
    self.operation = operation
    self.certificates = certificates
  }

  /// Adds an archived log.
  mutating func know(_ log: LogID, openedBy opening: Opening) {
    guard openings.updateValue(opening, forKey: log) == nil else { return }
    logsPerLane[Owner(certificate: opening.certificate, lane: opening.lane), default: 0] += 1
  }

  /// Adds the newest frame of an archived branch.
  mutating func know(tip hash: FrameHash, of log: LogID) { tips[log, default: []].insert(hash) }

  /// Adds a blob that an archived frame lists.
  mutating func know(_ listing: BlobListing) { listings[listing.id] = listing }

  /// Adds a certificate that was presented by itself.
  mutating func add(_ certificate: SignedCertificate) { certificates.add(certificate) }

  /// Returns the certificates that became known since the last call.
  mutating func takeNewCertificates() -> [SignedCertificate] { certificates.takeNew() }

  /// Whether a frame opens a log that is not known, or follows the newest frame of a branch.
  func isNext(_ frame: Frame) -> Bool {
    frame.sequence == 0
      ? openings[frame.log] == nil : tips[frame.log]?.contains(frame.previous) == true
  }

  /// Takes a run whose last frame is archived. The hashes prove the others.
  mutating func pass(_ frames: [Frame]) throws {
    guard let first = frames.first, let last = frames.last else { return }
    if first.sequence == 0, openings[first.log] == nil {
      know(first.log, openedBy: try Opening(decoding: first.body))
      know(tip: last.hash, of: first.log)
    } else if tips[first.log]?.remove(first.previous) != nil {
      know(tip: last.hash, of: first.log)
    }
    if openings[first.log]?.lane == .control { addCertificates(in: frames) }
    for frame in frames { for listing in frame.blobs { know(listing) } }
  }

  /// Verifies a unit of a photo by the list of the frame that names it.
  func verify(_ unit: BlobUnit) throws {
    guard let listing = listings[unit.blob] else { throw BundleRefusal.unattached }
    guard unit.isValid(for: listing) else { throw BundleRefusal.forged }
  }

  /// Verifies a run with computed hashes, whose last frame is signed.
  ///
  /// - Parameter isArchived: whether the frame that the run follows is stored; not needed if it is
  ///   the newest of a branch.
  mutating func verify(_ frames: [Frame], isArchived: Bool) throws -> VerifiedRun {
    guard let first = frames.first, let last = frames.last, last.sequence <= Limits.lastSequence,
      frames.count <= Int(Limits.signatureInterval) + 1
    else { throw BundleRefusal.forged }
    let opening = try self.opening(of: first)
    guard let key = certificates.key(of: opening.certificate) else {
      throw BundleRefusal.unknownAuthor
    }
    let continues = tips[first.log]?.contains(first.previous) == true
    if first.sequence > 0, !continues {
      guard isArchived else { throw BundleRefusal.unattached }
      guard (tips[first.log]?.count ?? 0) < Limits.branchesPerLog + 1 else {
        throw BundleRefusal.overLimit
      }
    }
    guard last.isSigned(by: key) else { throw BundleRefusal.forged }
    let proved = try frames.map { frame in
      guard frame.hash != last.hash else { return frame }
      // Peers rely on these signatures, and accept no run without them.
      if frame.sequence % Limits.signatureInterval == 0 {
        guard frame.isSigned(by: key) else { throw BundleRefusal.forged }
        return frame
      }
      var unsigned = frame
      unsigned.signature = nil
      return unsigned
    }
    if first.sequence == 0 { know(first.log, openedBy: opening) }
    tips[first.log]?.remove(first.previous)
    tips[first.log, default: []].insert(last.hash)
    if opening.lane == .control { addCertificates(in: proved) }
    for frame in proved { for listing in frame.blobs { know(listing) } }
    return VerifiedRun(frames: proved, opening: first.sequence == 0 ? opening : nil)
  }

  private func opening(of first: Frame) throws -> Opening {
    guard first.sequence == 0 else {
      guard let known = openings[first.log] else { throw BundleRefusal.unattached }
      return known
    }
    guard first.previous == .none, first.epoch == nil else { throw BundleRefusal.forged }
    let opening: Opening
    do {
      opening = try Opening(decoding: first.body)
    } catch {
      throw BundleRefusal.forged
    }
    guard LogID(operation: operation, opening: opening) == first.log else {
      throw BundleRefusal.forged
    }
    let owner = Owner(certificate: opening.certificate, lane: opening.lane)
    guard openings[first.log] != nil || logsPerLane[owner, default: 0] < Limits.logsPerLane else {
      throw BundleRefusal.overLimit
    }
    return opening
  }

  /// Notes the certificates that a commander issued in their control log. Unreadable contents are
  /// archived like all others.
  private mutating func addCertificates(in frames: [Frame]) {
    for frame in frames where frame.sequence > 0 && frame.epoch == nil {
      guard case .operations(let operations) = Self.contents(of: frame) else { continue }
      for case .certificate(let signed) in operations { certificates.add(signed) }
    }
  }

  private static func contents(of frame: Frame) -> FrameBody.Contents? {
    do {
      return try FrameBody(decoding: frame.body, writesAt: nil).contents
    } catch {
      return nil
    }
  }
}
