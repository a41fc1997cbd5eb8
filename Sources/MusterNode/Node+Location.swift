public import MusterGeo
public import MusterLocation
internal import MusterModel

/// This device's position: from a source, through `LocationWatch`, to the replica.
extension Node {
  /// Switches to the background sampling settings, for a device that no user looks at.
  public func goToBackground() {
    location.goToBackground()
    followSettings()
  }

  /// Applies command's sampling settings, at the start and after each change.
  func followSettings() {
    do {
      try read { replica, _ in
        location.watch.follow(
          try replica.queries.locationProfile(inForeground: location.inForeground),
          silenceMilliseconds: try replica.queries.silenceMilliseconds())
      }
    } catch {
      logger.error("\(error)")
    }
  }

  /// Sets the name of the position source, for `status`. MUST be called before its first event.
  public func listen(to name: String) {
    location.listen(to: name, now: SystemClock.instant)
  }

  /// Sets where the names of the logins are read: the shared token of phones does not prove their
  /// people.
  public func followLogins(_ names: @escaping @Sendable () -> [String]) {
    location.loginNames = names
  }

  /// Processes an event of a position source. A failed write is logged only: the next fix follows
  /// soon.
  public func take(_ event: SourceEvent, from origin: FixOrigin) async {
    await untilPeersAnswered()
    location.noteOrigin(origin)
    if case .reading(let reading) = event {
      location.record(reading, now: SystemClock.instant)
    }
    switch event {
    case .state(let state):
      if let name = location.change(to: state) { logger.info("\(name): \(state.rawValue)") }
    case .reading(.fix(let fix)):
      do { try take(fix, from: origin) } catch { logger.error("\(error)") }
    case .reading(.noFix): location.watch.count("no fix")
    case .reading(.refused(let fault)): location.watch.count(fault.rawValue)
    case .reading(.other): break
    }
  }

  /// Processes the position of a message of the phone of this device's user. After a failed write
  /// the same message can be processed again.
  ///
  /// - Parameter age: of its sample.
  func receiveOwnPosition(of report: TrackerReport, age: SampleAge) throws {
    guard let position = report.position else { return }
    let time: Timestamp? = if case .stated(let time) = report.time { time } else { nil }
    let fix = SourceFix(
      position: position, accuracyDecimetres: report.accuracyDecimetres, sampleTime: time)
    let before = location.watch
    do {
      try take(fix, from: .tracker, age: age)
    } catch {
      location.watch = before
      throw error
    }
  }

  /// - Parameter age: only a phone reports fixes that it stored; those of a receiver are of the
  ///   moment.
  private func take(
    _ sample: SourceFix, from origin: FixOrigin, age: SampleAge = .exactly(milliseconds: 0)
  ) throws {
    var isKept = false
    try attempt { replica, now in
      let taken = location.watch.take(
        sample.position, accuracyDecimetres: sample.accuracyDecimetres, time: sample.sampleTime,
        from: origin, now: now)
      guard let taken else { return .init() }
      location.noteFix(now: now.instant)
      isKept = taken.handling > .watched
      return try replica.ingest(
        taken.fix, as: taken.handling, stepsBack: taken.stepsBack, age: age, now: now)
    }
    if isKept { act { try $0.shareTrack(isWanted: location.watch.sharesTrack, now: $1) } }
  }

  /// Reads the battery from time to time. The next record of this device states it.
  func readBattery() {
    guard let percent = location.batteryReading(now: SystemClock.instant) else { return }
    act { replica, _ in
      replica.note(batteryPercent: percent)
      return .init()
    }
  }

  /// Publishes a delayed position once it is due.
  func publishDue() {
    act { replica, now in
      guard let report = location.watch.passDeadline(now: now.instant) else { return .init() }
      return try replica.publish(report, now: now)
    }
  }
}
