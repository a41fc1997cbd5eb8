public import MusterModel

/// The newest anchor of another device that an author holds, as a candidate for an echo.
public struct EchoCandidate: Hashable, Sendable {
  /// The id that the echo would name.
  public let id: StampedRecordID
  /// Whether its author is a command device.
  public let isCommand: Bool
  /// Whether it arrived after the author's own previous anchor: an echo of an older one adds little
  /// information.
  public let isNew: Bool

  /// Creates a candidate. The caller offers one for each device.
  public init(id: StampedRecordID, isCommand: Bool, isNew: Bool) {
    (self.id, self.isCommand, self.isNew) = (id, isCommand, isNew)
  }
}

extension StampedRecord {
  /// Chooses the echoes of an anchor: up to two of command, then up to four in all, drawn at random
  /// from the remaining candidates. New candidates come first.
  ///
  /// Each device has one candidate, so a device that sends often gains nothing, and an attacker
  /// takes at most one of the drawn places for each device that it has enrolled.
  public static func chooseEchoes(
    of candidates: [EchoCandidate], using random: inout some RandomNumberGenerator
  ) -> [StampedRecordID] {
    var rest = candidates.sorted { $0.id < $1.id }
    var chosen: [StampedRecordID] = []
    for wantsCommand in [true, true, false, false, false, false]
    where chosen.count < RecordStamp.echoLimit {
      var eligible = rest.indices.filter { !wantsCommand || rest[$0].isCommand }
      let new = eligible.filter { rest[$0].isNew }
      if !new.isEmpty { eligible = new }
      guard !eligible.isEmpty else { continue }
      let drawn = Int(random.next(upperBound: UInt64(eligible.count)))
      chosen.append(rest.remove(at: eligible[drawn]).id)
    }
    return chosen
  }
}
