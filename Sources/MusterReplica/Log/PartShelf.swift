internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Joins bodies that were too large for a frame.
struct PartShelf: Sendable {
  /// Parts whose successors have not come. By epoch as well: the frames of a log that are sealed
  /// under one epoch are read in sequence, whenever its key comes, while those of another may be
  /// read earlier or later on another device.
  private var shelf: [Key: Partial] = [:]

  private struct Key: Hashable, Sendable {
    /// Or the strand of it: parts do not go on where branches have parted, so that everybody reads
    /// a forked log alike, whichever branch came first.
    let log: LogID
    /// Nil in the control lane, whose frames are clear.
    let epoch: EpochID?
  }

  private struct Partial: Sendable {
    var places: [FramePlace] = []
    var contents: [[UInt8]] = []

    var bytes: Int { contents.reduce(0) { $0 + $1.count } }

    func isFollowed(by frame: Frame, index: Int) -> Bool {
      index == contents.count && places.last.map { $0.sequence == frame.sequence - 1 } ?? true
    }
  }

  /// What a frame amounts to with the parts before it.
  struct Whole: Sendable {
    var contents: Contents
    /// Parts that it completes, or that it does not go on with and that are therefore abandoned.
    var before: [FramePlace]
    /// The rows that later frames can name by their place in this one; nil where a later version
    /// of this program will tell.
    var named: [NamedRow]? = []
    var stamp: RecordStamp?

    enum Contents: Sendable {
      case operations([Operation], writtenAt: Timestamp, isJoined: Bool)
      /// One that is not the last.
      case part
      /// Signed rubbish: held for good, and nothing to apply.
      case nothing
    }
  }

  typealias Decode = ([UInt8]) throws(WireError) -> (body: FrameBody, named: [NamedRow]?)

  /// Takes the body of the next frame of its log and epoch.
  mutating func take(_ plaintext: [UInt8], of frame: Frame, decode: Decode) -> Whole {
    let key = Key(log: frame.strand, epoch: frame.epoch)
    // Whatever this frame is, parts that it does not go on with are abandoned.
    let gathered = shelf.removeValue(forKey: key) ?? Partial()
    do {
      let (body, named) = try decode(plaintext)
      switch body.contents {
      case .operations(let operations):
        let contents = Whole.Contents.operations(
          operations, writtenAt: body.writtenAt, isJoined: false)
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
          shelf[key] = whole
          return Whole(contents: .part, before: abandoned)
        }
        let joined = try decode(Array(whole.contents.joined())).body
        guard case .operations(let operations) = joined.contents else {
          throw WireError.malformed("parts")
        }
        return Whole(
          contents: .operations(operations, writtenAt: joined.writtenAt, isJoined: true),
          before: whole.places, stamp: joined.stamp)
      }
    } catch {
      return Whole(contents: .nothing, before: gathered.places)
    }
  }
}
