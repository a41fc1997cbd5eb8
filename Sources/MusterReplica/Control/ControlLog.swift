internal import MusterModel
internal import MusterSync

/// The statements of one control log that this node holds, by kind.
///
/// Only certificates whose issuer is the log's own certificate can count. Others are left out and
/// cost nothing in an evaluation.
struct ControlLog: Hashable, Sendable {
  /// The certificate of the log's author, from the opening.
  let certificate: CertificateHash
  private(set) var certificates: [Entry<SignedCertificate>] = []
  private(set) var revocations: [Entry<Revocation>] = []
  private(set) var epochs: [Entry<EpochAnnouncement>] = []
  private(set) var releases: [Entry<Release>] = []
  private(set) var uplinks: [Entry<UplinkCertificate>] = []
  /// The sequence of the newest frame with a statement.
  private var lastSequence: UInt64?

  /// One statement, and the frame that contains it.
  struct Entry<Value: Hashable & Sendable>: Hashable, Sendable {
    let sequence: UInt64
    let frame: FrameHash
    let value: Value
  }

  init(certificate: CertificateHash) { self.certificate = certificate }

  /// Adds the operations of one frame. Returns false if the frame is not newer than the last one.
  mutating func add(_ operations: [Operation], sequence: UInt64, hash: FrameHash) -> Bool {
    guard !operations.isEmpty, lastSequence.map({ $0 < sequence }) ?? true else { return false }
    lastSequence = sequence
    func entry<Value>(_ value: Value) -> Entry<Value> {
      Entry(sequence: sequence, frame: hash, value: value)
    }
    for operation in operations {
      switch operation {
      case .certificate(let signed) where signed.certificate.issuer == certificate:
        certificates.append(entry(signed))
      case .revocation(let revocation): revocations.append(entry(revocation))
      case .epoch(let announcement): epochs.append(entry(announcement))
      case .release(let release): releases.append(entry(release))
      case .uplink(let uplink): uplinks.append(entry(uplink))
      default: break
      }
    }
    return true
  }
}

/// How far a control log counts, by the rank and role of its author and by cuts.
struct ControlLogStanding: Hashable, Sendable {
  let certificate: CertificateHash
  /// The number of certificates between the author and the root; 0 for the root.
  let rank: Int
  /// Whether the author is a `command` device or the root.
  let isCommand: Bool
  /// Whether uplink certificates of this log count.
  let servesUplinks: Bool
  /// Whether the author's role may read.
  let reads: Bool
  let part: Cuts.Part

  /// Whether an epoch of this log counts. A member's epoch must exclude at least one revocation.
  func counts(_ epoch: EpochAnnouncement, at sequence: UInt64) -> Bool {
    part.holds(sequence) && (isCommand || reads && !epoch.excludes.isEmpty)
  }
}
