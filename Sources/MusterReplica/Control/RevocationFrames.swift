internal import MusterModel

/// The frames with revocations: which this node holds, which of them count, and which epoch
/// announcements name them.
///
/// A named frame has a number, in the order of the first names. A revocation that counts is either
/// named (`namedCounting`) or not (`unnamed`), never both.
struct RevocationFrames: Sendable {
  /// The frames that this node holds, whether they count or not.
  private(set) var held: Set<FrameHash> = []
  private var numbers: [FrameHash: Int] = [:]
  private var named: [NamedFrame] = []
  /// Revocations that count and that no announcement names.
  private var unnamed: Set<FrameHash> = []
  /// Named frames whose revocations count, by number.
  private var namedCounting: Set<Int> = []

  private struct NamedFrame: Sendable {
    var isHeld: Bool
    /// The announcements, by number.
    var namedBy: [Int] = []
  }

  /// A frame that an announcement names.
  struct Naming {
    let number: Int
    let isHeld: Bool
    let counts: Bool
    /// Whether no revocation that counts is unnamed since then.
    let completesNames: Bool
  }

  init(held: Set<FrameHash> = []) { self.held = held }

  /// Whether announcements name every revocation that counts.
  var areAllNamed: Bool { unnamed.isEmpty }
  /// The number of named frames whose revocations count.
  var namedCount: Int { namedCounting.count }

  func number(of frame: FrameHash) -> Int? { numbers[frame] }

  /// Returns the numbers of the frames whose revocations count.
  func counting(among frames: [FrameHash]) -> Set<Int> {
    var found: Set<Int> = []
    for frame in frames {
      if let number = numbers[frame], namedCounting.contains(number) { found.insert(number) }
    }
    return found
  }

  /// Records that an announcement names a frame.
  mutating func name(_ frame: FrameHash, by announcement: Int) -> Naming {
    let number: Int
    var completesNames = false
    if let known = numbers[frame] {
      number = known
    } else {
      number = named.count
      numbers[frame] = number
      named.append(NamedFrame(isHeld: held.contains(frame)))
      if unnamed.remove(frame) != nil {
        namedCounting.insert(number)
        completesNames = unnamed.isEmpty
      }
    }
    named[number].namedBy.append(announcement)
    return Naming(
      number: number, isHeld: named[number].isHeld, counts: namedCounting.contains(number),
      completesNames: completesNames)
  }

  /// Records that this node holds a frame. Returns the announcements that name it and lacked it.
  mutating func hold(_ frame: FrameHash) -> [Int] {
    guard held.insert(frame).inserted, let number = numbers[frame] else { return [] }
    named[number].isHeld = true
    return named[number].namedBy
  }

  /// Records that a revocation counts. Returns its number and the announcements that name it; nil
  /// if it counted before.
  mutating func count(_ frame: FrameHash) -> (number: Int?, namedBy: [Int])? {
    guard let number = numbers[frame] else {
      return unnamed.insert(frame).inserted ? (nil, []) : nil
    }
    return namedCounting.insert(number).inserted ? (number, named[number].namedBy) : nil
  }

  /// Records that no revocation counts. Returns the announcements that name one that did.
  mutating func countNone() -> [Int] {
    defer { (namedCounting, unnamed) = ([], []) }
    return namedCounting.flatMap { named[$0].namedBy }
  }
}
