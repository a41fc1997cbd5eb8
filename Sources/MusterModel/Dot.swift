/// The name of one write: the first sixteen bytes of its frame's hash, and its index in that frame.
/// Because it is a hash, no one can name a write that does not exist yet, and a fork cannot give
/// two writes one name.
public struct Dot: Hashable, Comparable, Sendable {
  /// A prefix of a frame hash, not a log id: the frame must be looked up.
  public let frame: Bytes16
  /// The index among the frame's entries, from 0.
  public let index: UInt16

  /// Names a write, whether or not its frame is held.
  public init(frame: Bytes16, index: UInt16) {
    self.frame = frame
    self.index = index
  }

  /// Orders by frame hash, then by index: the same on every node, and unrelated to time.
  public static func < (left: Dot, right: Dot) -> Bool {
    left.frame != right.frame ? left.frame < right.frame : left.index < right.index
  }
}
