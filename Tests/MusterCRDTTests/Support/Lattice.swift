import MusterCRDT
import MusterModel

/// All subsets of a small history, ordered by inclusion:
///
///         {a,b,c}
///        ╱   │   ╲
///     {a,b} {a,c} {b,c}      one step up is one frame applied;
///       │ ╲ ╱ ╲ ╱ │          one path up is one order of application
///       │ ╱ ╲ ╱ ╲ │
///      {a}  {b}  {c}
///        ╲   │   ╱
///           { }
///
/// If all steps into each subset give one row, then so do all paths, which are all permutations of
/// all subsets. With `restarts` each step starts from a row that was encoded and decoded, so that
/// the grouping of frames has no effect either.
///
/// A lattice grows by one frame at a time, because histories with a common start share its subsets.
struct Lattice {
  let key: RowKey
  let countsFrameInHand: Bool
  let restarts: Bool
  private(set) var frames: [WrittenFrame] = []
  /// Indexed by subset: bit n represents frame n.
  private var rows: [Place]

  /// A row, and what waits beside it.
  private struct Place: Equatable {
    var row: RowState
    var pending = PendingInMemory(applied: [])
  }

  init(_ key: RowKey, countsFrameInHand: Bool, restarts: Bool) {
    self.key = key
    self.countsFrameInHand = countsFrameInHand
    self.restarts = restarts
    rows = [Place(row: RowState(key: key))]
  }

  /// Adds a frame, and all the subsets that it is in.
  ///
  /// - Returns: what went wrong first, for a person to read; nil when the laws hold.
  mutating func breach(byAdding frame: WrittenFrame) throws(DecodingFault) -> String? {
    frames.append(frame)
    for mask in rows.count..<(2 * rows.count) {
      var agreed: Place?
      for last in frames.indices where mask & 1 << last != 0 {
        let place = apply(last, to: rows[mask ^ 1 << last])
        if let agreed, place != agreed {
          return "order matters, \(frames[last].name.high) last: \(place)\nnot \(agreed)\n\(frames)"
        }
        agreed = place
      }
      guard var agreed else { continue }
      agreed.row.checkInvariants()
      agreed.pending.checkInvariants(beside: agreed.row)
      let expected = Specification(of: subset(mask), in: key)
      if Specification(agreed.row) != expected {
        return "\(agreed)\nis not as specified: \(expected)\nafter \(subset(mask))"
      }
      if restarts { agreed.row = try RowState(key: key, decoding: agreed.row.encoded()) }
      rows.append(agreed)
    }
    return nil
  }

  private func apply(_ index: Int, to place: Place) -> Place {
    var place = place
    if countsFrameInHand { place.pending.noteApplied(frames[index].name) }
    for write in frames[index].authored {
      place.row.apply(write, at: frames[index].place, beside: &place.pending)
    }
    place.pending.noteApplied(frames[index].name)
    return place
  }

  private func subset(_ mask: Int) -> [WrittenFrame] {
    frames.indices.filter { mask & 1 << $0 != 0 }.map { frames[$0] }
  }
}
