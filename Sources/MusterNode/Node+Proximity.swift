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
    location.withProximity { $0.listen(to: name, byDatagrams: byDatagrams) }
  }

  /// Processes lines of a scanner, or a change of its state.
  public func takeNearby(_ event: LineEvent) {
    let text = location.withProximity { $0.process(event, now: SystemClock.reading) }
    if let text { logger.info("\(text)") }
  }

  /// Returns what a Bluetooth adapter advertises while it scans; nil while it is to do neither.
  public func radioPlan() -> RadioPlan? {
    guard location.withProximity({ $0.usesRadio }) else { return nil }
    do {
      let own = try location.withProximity {
        try $0.advertised(wall: SystemClock.reading.wall)
      }
      return RadioPlan(
        serviceData: own.identifier + own.metadata, name: own.showsName ? try ownCallsign() : "")
    } catch {
      take(
        RadioReport(
          scanning: .off, advertising: .off, adapter: "", problem: "\(error)", received: []))
      return nil
    }
  }

  /// Processes what a Bluetooth adapter received, and its state.
  public func take(_ report: RadioReport) {
    location.withProximity { $0.take(report, now: SystemClock.reading) }
  }

  func ownCallsign() throws -> String {
    try read { replica, _ in try replica.queries.ownCallsign() }
  }

  func writeNearby(isLast: Bool = false) {
    location.withProximity { $0.save(now: SystemClock.reading, isLast: isLast) }
  }
}
