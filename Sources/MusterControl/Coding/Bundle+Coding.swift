internal import MusterModel

extension WireBundlePiece {
  init(_ piece: BundlePiece) {
    self.init()
    contents = .init(piece.bytes)
    next = .init(piece.next)
    frames = Int64(piece.frames)
    records = Int64(piece.records)
  }

  var piece: BundlePiece {
    get throws(ControlFault) {
      BundlePiece(
        bytes: Array(contents), next: Array(next), frames: try Checked.integer(frames),
        records: try Checked.integer(records))
    }
  }
}

extension WireBundleProgress {
  init(_ progress: BundleProgress) {
    self.init()
    consumed = Int64(progress.consumed)
    next = .init(progress.next)
    frames = WireBundleCount(progress.tally.frames)
    records = WireBundleCount(progress.tally.records)
    newKeys = Int64(progress.tally.newKeys)
    damagedPieces = Int64(progress.tally.damagedPieces)
    unreadablePieces = Int64(progress.tally.unreadablePieces)
    end = UInt32(progress.end?.rawValue ?? 0)
  }

  var progress: BundleProgress {
    get throws(ControlFault) {
      var tally = BundleTally()
      tally.frames = try frames.count
      tally.records = try records.count
      tally.newKeys = try Checked.integer(newKeys)
      tally.damagedPieces = try Checked.integer(damagedPieces)
      tally.unreadablePieces = try Checked.integer(unreadablePieces)
      return BundleProgress(
        consumed: try Checked.integer(consumed), next: Array(next), tally: tally,
        end: end == 0 ? nil : try Checked.code(end))
    }
  }
}

extension WireBundleCount {
  fileprivate init(_ count: BundleTally.Count) {
    self.init()
    new = Int64(count.new)
    known = Int64(count.known)
    refused = count.refused.sorted { $0.key < $1.key }.map { reason, number in
      .with {
        $0.reason = UInt32(reason.rawValue)
        $0.count = Int64(number)
      }
    }
  }

  fileprivate var count: BundleTally.Count {
    get throws(ControlFault) {
      var count = BundleTally.Count()
      count.new = try Checked.integer(new)
      count.known = try Checked.integer(known)
      for wire in refused {
        count.refused[try Checked.code(wire.reason)] = try Checked.integer(wire.count)
      }
      return count
    }
  }
}
