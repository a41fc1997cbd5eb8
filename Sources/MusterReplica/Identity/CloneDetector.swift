internal import MusterModel

/// Clone detection: what a program has learned since its start of its own device's incarnations.
///
///     another incarnation becomes known ─▶ named in a record, so that it learns that it is known
///     a record names an incarnation begun here ─▶ its signer was live after that, and so is this
///         program: the device has a live clone
///
/// After a restored backup the same incarnations are known, but no other program is live that could
/// name one begun since. Therefore there is no proof before the other one has answered, and no
/// clock is needed.
///
/// Nothing of this is stored on disk: a restored disk must not be taken for the present state.
struct CloneDetector: Hashable, Sendable {
  /// Begun since the start: no node can have named one of them before.
  private(set) var begun: Set<Incarnation> = []
  /// Other incarnations, in the order in which they became known: only the newest are named.
  private(set) var received: [IncarnationName] = []
  private var known: Set<Incarnation> = []
  /// How often an incarnation was begun because of another one.
  private(set) var yields = 0
  /// The incarnation whose record proved that it is live at the same time.
  private(set) var proof: IncarnationName?
  /// The records that are still to be published.
  private(set) var owes: Set<RecordKind> = []

  /// Records that this program writes in a newly drawn incarnation.
  mutating func begin(_ incarnationName: IncarnationName) {
    begun.insert(incarnationName.incarnation)
    // A first incarnation has no others to name.
    if incarnationName.generation > 1 { owes.insert(.otherIncarnations) }
  }

  /// Records that another incarnation of this device has written something new.
  mutating func observe(_ incarnationName: IncarnationName) {
    guard !begun.contains(incarnationName.incarnation), known.count < Limits.otherIncarnations,
      known.insert(incarnationName.incarnation).inserted
    else { return }
    received.append(incarnationName)
    if received.count > Limits.namedIncarnations { received.removeFirst() }
    owes.insert(.otherIncarnations)
  }

  /// Processes the record of another incarnation, which may prove that both are live.
  mutating func take(_ named: [IncarnationName], by author: IncarnationName) {
    guard !begun.contains(author.incarnation),
      named.contains(where: { begun.contains($0.incarnation) })
    else { return }
    if proof == nil { owes.insert(.clone) }
    proof = author
  }

  /// Whether an incarnation may be begun because of another. Always once, since records of the
  /// greater generation count as newer; then only while there is no proof.
  var mayYield: Bool { yields == 0 || proof == nil && yields < Limits.yieldsPerStart }

  mutating func noteYield() { yields += 1 }

  mutating func notePublished(_ kinds: Set<RecordKind>) { owes.subtract(kinds) }
}
