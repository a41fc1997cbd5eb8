internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// When values were written, as far as stamps and arrivals show.
extension AgeReader {
  /// Returns when a value was written at the latest, by this machine's boot clock; nil if it is not
  /// known any more.
  func written(_ value: LiveValue) throws(StoreError) -> Int64? {
    guard let arrival = try context.store.arrival(ofFrame: value.dot.frame) else { return nil }
    return ages.made(arrival)?.latest ?? reading - ages.sinceArrival(of: arrival, now: now)
  }

  /// Returns the same by this node's wall clock, at most seven days ago. A value of this device has
  /// the time of its writing.
  func moment(of value: LiveValue) throws(StoreError) -> Timestamp? {
    guard let arrival = try context.store.arrival(ofFrame: value.dot.frame) else { return nil }
    if arrival.author == context.local.device { return value.writtenAt }
    guard let made = try written(value) else { return nil }
    return moment(milliseconds: reading - made)
  }

  /// Returns the time some milliseconds ago by this node's wall clock: at most seven days, and not
  /// in the future.
  func moment(milliseconds age: Int64) -> Timestamp {
    let bounded = min(max(0, age), Int64(Limits.spanSeconds) * 1000)
    return Timestamp(milliseconds: now.wall.milliseconds - bounded)
  }
}
