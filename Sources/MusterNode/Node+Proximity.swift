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

  func writeNearby(isLast: Bool = false) {
    location.withProximity { $0.save(now: SystemClock.reading, isLast: isLast) }
  }
}
