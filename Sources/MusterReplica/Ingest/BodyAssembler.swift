internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Joins bodies that were too large for one frame.
struct BodyAssembler: Sendable {
  /// Incomplete parts. By epoch as well: the frames of a log under one epoch are read in sequence
  /// whenever its key arrives, while those under another may be read earlier or later on another
  /// device.
  private var partials: [Key: Partial] = [:]

  private struct Key: Hashable, Sendable {
    /// The log or the strand of it: parts do not continue across a fork, so that all nodes read a
    /// forked log alike, whichever branch arrived first.
    let log: LogID
    /// Nil in the control lane, whose frames are clear.
    let epoch: EpochID?
  }

  private struct Partial: Sendable {
    var places: [FramePosition] = []
    var contents: [[UInt8]] = []

    var bytes: Int { contents.reduce(0) { $0 + $1.count } }

    func isFollowed(by frame: Frame, index: Int) -> Bool {
      index == contents.count && places.last.map { $0.sequence == frame.sequence - 1 } ?? true
    }
  }

  /// The result of a frame together with the parts before it.
  struct Whole: Sendable {
    var contents: Contents
    /// Parts that it completes, or that it abandons because it does not continue them.
    var before: [FramePosition]
    /// The rows that later frames can name by their place in this one; nil if only a later version
    /// can read them.
    var named: [NamedRow]? = []
    var stamp: RecordStamp?

    enum Contents: Sendable {
      case operations([Operation], of: FrameBody, isJoined: Bool)
      /// A part that is not the last.
      case part
      /// A signed body that cannot be parsed: held without effect.
      case nothing
    }
  }

  typealias Decode = ([UInt8]) throws(WireError) -> (body: FrameBody, named: [NamedRow]?)

  func hasParts(of log: LogID) -> Bool { partials.keys.contains { $0.log == log } }

  /// Processes the body of the next frame of its log and epoch.
  mutating func take(_ plaintext: [UInt8], of frame: Frame, decode: Decode) -> Whole {
    let key = Key(log: frame.strand, epoch: frame.epoch)
    // Parts that this frame does not continue are abandoned.
    let gathered = partials.removeValue(forKey: key) ?? Partial()
    do {
      let (body, named) = try decode(plaintext)
      switch body.contents {
      case .operations(let operations):
        let contents = Whole.Contents.operations(operations, of: body, isJoined: false)
        return Whole(
          contents: contents, before: gathered.places, named: named, stamp: body.stamp)
      case .part(let index, let count, let content):
        let goesOn = gathered.isFollowed(by: frame, index: index)
        let abandoned = goesOn ? [] : gathered.places
        guard goesOn || index == 0 else { return Whole(contents: .nothing, before: abandoned) }
        var whole = goesOn ? gathered : Partial()
        whole.contents.append(content)
        guard whole.bytes <= Limits.operationBytes else { throw WireError.overLimit("operation") }
        guard index + 1 == count else {
          whole.places.append(frame.place)
          partials[key] = whole
          return Whole(contents: .part, before: abandoned)
        }
        let joined = try decode(Array(whole.contents.joined())).body
        guard case .operations(let operations) = joined.contents else {
          throw WireError.malformed("parts")
        }
        return Whole(
          contents: .operations(operations, of: joined, isJoined: true),
          before: whole.places, stamp: joined.stamp)
      }
    } catch {
      return Whole(contents: .nothing, before: gathered.places)
    }
  }
}
