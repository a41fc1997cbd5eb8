internal import MusterModel
internal import MusterSync

/// What one control log says, as far as it is held, by kind.
///
/// Certificates that name another issuer than the log's own certificate never count and are left
/// out, so that they cost nothing at an evaluation.
struct ControlLog: Hashable, Sendable {
  /// That it was opened with: who speaks.
  let certificate: CertificateHash
  private(set) var certificates: [Entry<SignedCertificate>] = []
  private(set) var revocations: [Entry<Revocation>] = []
  private(set) var epochs: [Entry<EpochAnnouncement>] = []
  private(set) var releases: [Entry<Release>] = []
  private(set) var uplinks: [Entry<UplinkCertificate>] = []
  /// Of the newest frame that says anything.
  private var lastSequence: UInt64?

  /// One operation, and the frame that says it.
  struct Entry<Value: Hashable & Sendable>: Hashable, Sendable {
    let sequence: UInt64
    let frame: FrameHash
    let value: Value
  }

  init(certificate: CertificateHash) { self.certificate = certificate }

  /// Adds the operations of one frame; false for one that is not newer than those before.
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

/// What a control log counts for, by whose it is and what is cut of it.
struct ControlLogStanding: Hashable, Sendable {
  let certificate: CertificateHash
  /// Certificates between its author and the root; 0 for the root.
  let rank: Int
  /// Whether it is a `command` device's or the root's.
  let isCommand: Bool
  /// Whether its author may read.
  let reads: Bool
  let part: Cuts.Part

  /// Whether an epoch of this log is announced, within a cut or not: honest devices may have
  /// written under an epoch whose maker was revoked, and their frames are to be read.
  var announces: Bool { reads || isCommand }

  /// A member makes an epoch only to exclude somebody whom no epoch excludes yet.
  func counts(_ epoch: EpochAnnouncement, at sequence: UInt64) -> Bool {
    part.holds(sequence) && (isCommand || reads && !epoch.excludes.isEmpty)
  }
}
