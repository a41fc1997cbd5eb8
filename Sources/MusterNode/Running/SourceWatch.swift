internal import MusterLocation
internal import MusterModel

/// Whether the position source of this device still gives fixes.
///
/// A receiver that is unplugged or has no view of the sky changes nothing that others see, except
/// that the position of its user grows old: the user is warned. A recorded track ends, and is no
/// receiver.
struct SourceWatch: Sendable {
  /// A receiver needs a minute for its first fix, and more under trees.
  static let patienceMilliseconds: Int64 = 180_000
  /// A receiver states several times a second whether it has a fix: one from which nothing can be
  /// used is set up wrongly.
  static let uselessMilliseconds: Int64 = 9_000

  let name: String
  private(set) var state = SourceState.waiting
  /// When the last fix arrived; before the first one, when the source was named.
  private var lastFix: Instant
  private var isRecording = false
  /// Since when the source sends, and nothing of it can be used; nil without such data.
  private var uselessSince: Instant?
  /// Why the last of it could not be used.
  private var fault: ReadingFault?

  init(name: String, now: Instant) {
    self.name = name
    lastFix = now
  }

  /// Updates the state. Returns whether it changed.
  mutating func change(to state: SourceState) -> Bool {
    defer { self.state = state }
    return self.state != state
  }

  /// Records what the source sent.
  mutating func record(_ reading: Reading, now: Instant) {
    switch reading {
    case .fix, .noFix: (uselessSince, fault) = (nil, nil)
    case .other: uselessSince = uselessSince ?? now
    case .refused(let reason):
      uselessSince = uselessSince ?? now
      fault = reason
    }
  }

  /// Records a fix of this device, from the source or from its user's phone.
  mutating func noteFix(now: Instant) { lastFix = now }

  /// Records that the source replays a recorded track.
  mutating func noteRecording() { isRecording = true }

  /// Why this device gets no position, and what to do, in one line; nil while it gets some.
  func problem(now: Instant) -> Phrase? {
    if !isRecording, let since = uselessSince,
      now >= since.advanced(byMilliseconds: Self.uselessMilliseconds)
    {
      return Phrase(
        .uselessSource, ["source": .text(name), "fault": .text(fault?.rawValue ?? "")])
    }
    guard !isRecording, now >= lastFix.advanced(byMilliseconds: Self.patienceMilliseconds) else {
      return nil
    }
    return Phrase(
      .noPositionFrom, ["source": .text(name), "state": .phrase(state.key)])
  }
}

extension SourceState {
  fileprivate var key: PhraseKey {
    switch self {
    case .waiting: .sourceWaiting
    case .connected: .sourceConnected
    case .unplugged: .sourceUnplugged
    case .silent: .sourceSilent
    case .ended: .sourceEnded
    }
  }
}
