/// A fault that a scenario can configure. Each occurrence is counted: a configured fault that never
/// occurs proves nothing, and the run reports it.
public enum Knob: String, Hashable, Sendable, CaseIterable, Comparable {
  case loss
  case duplicate
  case reorder
  case corrupt
  case oneWay = "one-way"
  case partition
  case range
  case narrow = "bit rate"
  case mtu
  case crash
  case sleep
  case skew = "clock skew"
  case drift = "clock drift"
  case jump = "clock jump"
  case restore
  case move = "new address"
  case replay
  case garbage
  case insider
  case forger
  case powerCut = "power cut"
  case fullDisk = "full disk"
  case failingDisk = "failing disk"
  case withholding
  case flood
  case equivocation
  case clone
  case revocation
  case overfilling
  case readmission
  case lostAdmitter = "lost admitter"
  case council
  case usurpation

  /// Compares names, for lists in a stable order.
  public static func < (left: Knob, right: Knob) -> Bool { left.rawValue < right.rawValue }
}

/// How often each fault occurred.
struct KnobTally {
  private(set) var fired: [Knob: Int] = [:]

  mutating func fire(_ knob: Knob) { fired[knob, default: 0] += 1 }
}
