public import MusterLocation
internal import MusterModel
internal import MusterProximity

/// The devices nearby: from a scanner to the sealed log, which stays on this device.
extension Node {
  /// The longest line of a scanner, in bytes.
  public static var longestNearbyLine: Int { ProximityLimits.lineBytes }

  /// Sets the name of the source of sightings, and whether it receives datagrams, which are not
  /// authenticated. MUST be called before its first event.
  public func watchNearby(from name: String, byDatagrams: Bool) {
    location.proximity.listen(to: name, byDatagrams: byDatagrams)
  }

  /// Processes lines of a scanner, or a change of its state. A failed write is logged, and tried
  /// again with the next lines.
  public func takeNearby(_ event: LineEvent) {
    switch event {
    case .state(let state):
      if let name = location.proximity.change(to: state) {
        logger.info("\(name): \(state.rawValue)")
      }
    case .lines(let lines):
      location.proximity.take(lines, wall: SystemClock.wall)
      writeNearbyIfDue()
    }
  }

  func writeNearbyIfDue() {
    do {
      try location.proximity.writeIfDue(now: SystemClock.reading)
    } catch {
      logger.error("the proximity log could not be written: \(error)")
    }
  }

  /// Writes the rest, before the node stops.
  func closeNearby() {
    do {
      try location.proximity.write(now: SystemClock.reading)
    } catch {
      logger.error("the proximity log could not be written: \(error)")
    }
  }
}
