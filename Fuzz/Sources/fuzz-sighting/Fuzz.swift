import MusterModel
import MusterProximity

private let arrival = Timestamp(milliseconds: 1_796_688_300_000)

/// The lines of a scanner, aggregated by interval; and the opened file of an interval.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var logs: [ProximityInterval: IntervalLog] = [:]
  for line in bytes.split(separator: 0x0A) {
    guard let sighting = try? Sighting(line: Array(line), arrival: arrival),
      let interval = ProximityInterval(containing: sighting.time)
    else { continue }
    precondition(sighting.name.utf8.count <= ProximityLimits.nameBytes, "a name is too long")
    _ = try? logs[interval, default: IntervalLog(interval)].add(sighting)
  }
  for log in logs.values { check(log) }
  if let log = try? IntervalLog(encoded: bytes) { check(log) }
  return 0
}

private func check(_ log: IntervalLog) {
  let stored = log.encoded
  precondition(stored.count <= IntervalLog.mostBytes, "a log is longer than its limit")
  let again = try? IntervalLog(encoded: stored)
  precondition(again?.encoded == stored, "a stored log changed when it was stored again")
}
