/// The name of one write: the first sixteen bytes of its frame's hash, and its index in that frame.
/// By hash, so that nobody can name a write that does not exist yet and a fork cannot give two
/// writes one name.
public struct Dot: Hashable, Comparable, Sendable {
  public let frame: Bytes16
  public let index: UInt16

  public init(frame: Bytes16, index: UInt16) {
    self.frame = frame
    self.index = index
  }

  public static func < (left: Dot, right: Dot) -> Bool {
    left.frame != right.frame ? left.frame < right.frame : left.index < right.index
  }
}
