public import MusterModel

/// What a person or a program asks of a node: the one way in, over the socket and in process.
///
/// A `String` that names a report, a fence or a device is its id in hexadecimal or the beginning of
/// it (at least four digits) where that is unambiguous.
public enum Command: Hashable, Sendable {
  case status
  case verify

  case users
  case claimSafety(SafetyClaim, note: String)
  case setPosition(Fix)
  case devices

  case reports
  case report(String)
  case addReport(ReportDraft)
  case editReport(String, ReportChanges)
  case deleteReport(String)
  case confirmReport(String)
  case commentReport(String, text: String)

  case fences
  case fence(String)
  case addFence(FenceDraft)
  case setFenceActive(String, Bool)
  case deleteFence(String)

  /// Crossings that this node learned of after an arrival number, in that order; all with nil.
  case events(after: Int64?, limit: Int)

  /// - uses: how many devices may join by it, 1 to 1,000.
  case invite(role: Role, uses: Int, validSeconds: Int64)
  /// A join request file's contents.
  case admit(request: [UInt8], role: Role)
  /// Takes a device's standing away.
  case revoke(String)
  case rotateEpoch
  case quarantine
  /// Lets a quarantined frame count, or all that is held of a device.
  case release(String)
}

/// What a node answers.
public enum Reply: Hashable, Sendable {
  case done
  /// Why nothing was changed, in one line for the person who asked.
  case refused(String)
  case status(StatusSummary)
  case verification(VerificationReport)
  case users([UserSummary])
  case devices([DeviceSummary])
  case reports([ReportSummary])
  case fences([FenceSummary])
  /// The new row.
  case created(RowID)
  case events([CrossingSummary])
  /// An `Invitation` in its byte form, and what it is good for.
  case invitation([UInt8], role: Role, expiresAt: Timestamp)
  /// A join grant file's contents, and whom it admits.
  case grant([UInt8], callsign: String)
  case quarantine([QuarantinedFrame])
  /// How many frames count from now on.
  case released(Int)
}
