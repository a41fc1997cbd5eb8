internal import GRDB
public import MusterModel

extension Store {
  /// Returns the positions of the named frames, unordered; unknown ones are left out.
  public func positions(ofFrames names: [Bytes16]) throws(StoreError) -> [FramePosition] {
    try read { database in
      var logs: [Int64: LogID] = [:]
      var places: [FramePosition] = []
      for name in names {
        for place in try FrameTable.places(of: name, in: database) {
          let ref = place >> 32
          if logs[ref] == nil { logs[ref] = try FrameTable.log(ref: ref, in: database)?.head.log }
          guard let log = logs[ref] else { throw StoreError.corrupt("a frame has no log") }
          places.append(FramePosition(log: log, sequence: UInt64(place & 0xFFFF_FFFF)))
        }
      }
      return places
    }
  }

  /// Returns the hash of a frame; nil if it is not stored.
  public func hash(of place: FramePosition) throws(StoreError) -> FrameHash? {
    try read { database in
      guard let log = try FrameTable.log(place.log, in: database),
        place.sequence <= log.head.sequence,
        let strand = try FrameTable.path(to: log, from: place.sequence, in: database).first
      else { return nil }
      return try FrameTable.hash(at: strand.place(place.sequence), in: database)
    }
  }

  /// Returns the number by which rows refer to this log; nil if it is not stored.
  public func number(of log: LogID) throws(StoreError) -> UInt32? {
    try read { try FrameTable.log(log, in: $0).map { UInt32(truncatingIfNeeded: $0.ref) } }
  }
}
