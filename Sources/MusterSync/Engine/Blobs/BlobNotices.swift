internal import MusterModel

/// Which peers are to be informed of stored units. Notices are collected for a moment, so that one
/// datagram has those of several units; the first one after a pause is sent at once.
struct BlobNotices: Sendable {
  private var owed: [DeviceID: Set<BlobID>] = [:]
  private var last: Instant?
  /// When the collected ones are sent; nil while there are none.
  private(set) var dueAt: Instant?

  private static let pauseMilliseconds: Int64 = 250
  private static let narrowPauseMilliseconds: Int64 = 5000

  /// Adds a notice.
  mutating func owe(_ blob: BlobID, to device: DeviceID, isNarrow: Bool, now: Instant) {
    owed[device, default: []].insert(blob)
    guard dueAt == nil else { return }
    let pause = isNarrow ? Self.narrowPauseMilliseconds : Self.pauseMilliseconds
    let next = last?.advanced(byMilliseconds: pause) ?? now
    dueAt = max(next, now)
  }

  /// Forgets a peer that is lost: it queries again.
  mutating func forget(_ device: DeviceID) { owed[device] = nil }

  /// Returns and clears the notices if they are due.
  mutating func takeDue(now: Instant) -> [(device: DeviceID, blobs: [BlobID])] {
    guard let due = dueAt, due <= now else { return [] }
    defer { (owed, dueAt, last) = ([:], nil, now) }
    return owed.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted()) }
  }
}
