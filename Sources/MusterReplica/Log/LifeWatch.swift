internal import MusterModel

/// What a program knows, from its start on, of the lives of its own device.
///
///     a life that is not its own is heard of ─▶ named in a record, so that it learns that it was
///     a record names a life that was begun here ─▶ whoever signed it was there after that, and
///         this program still is: the key is in use twice
///
/// A backup that was put back shows the same lives to whoever goes on after it, and yet nobody is
/// there who could name one that was begun since. So there is no proof before the other one has
/// answered, and no clock is asked.
///
/// Nothing of it is kept on disk: a disk that was put back must not speak for the present.
struct LifeWatch: Hashable, Sendable {
  /// Begun since the start: nobody can have named one of them before.
  private(set) var begun: Set<Incarnation> = []
  /// Others, in the order in which they were heard of: the newest alone are named.
  private(set) var heard: [LifeMark] = []
  private var known: Set<Incarnation> = []
  /// How often a life was begun because of another one.
  private(set) var yields = 0
  /// Whose word showed that it is there at the same time.
  private(set) var proof: LifeMark?
  /// What has not been told yet.
  private(set) var owes: Set<RecordKind> = []

  /// This program writes in a life that it has just drawn.
  mutating func begin(_ life: LifeMark) {
    begun.insert(life.incarnation)
    // A first life has no others to tell of it.
    if life.generation > 1 { owes.insert(.livesHeard) }
  }

  /// Another life of this device has written or told something that had not come yet.
  mutating func hear(_ life: LifeMark) {
    guard !begun.contains(life.incarnation), known.count < Limits.livesHeard,
      known.insert(life.incarnation).inserted
    else { return }
    heard.append(life)
    if heard.count > Limits.livesNamed { heard.removeFirst() }
    owes.insert(.livesHeard)
  }

  /// Takes what another life says, which may be proof that both are there.
  mutating func take(_ named: [LifeMark], by speaker: LifeMark) {
    guard !begun.contains(speaker.incarnation),
      named.contains(where: { begun.contains($0.incarnation) })
    else { return }
    if proof == nil { owes.insert(.clone) }
    proof = speaker
  }

  /// Whether a life may be begun because of another. Always once, since what the greater one says
  /// of itself counts for newer; then only as long as there is no proof.
  var mayYield: Bool { yields == 0 || proof == nil && yields < Limits.yieldsPerStart }

  mutating func noteYield() { yields += 1 }

  mutating func noteTold(_ kinds: Set<RecordKind>) { owes.subtract(kinds) }
}
