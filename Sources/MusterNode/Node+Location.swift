public import MusterGeo
public import MusterLocation
internal import MusterModel

/// Where this laptop is: from a source, through `LocationWatch`, to the replica.
extension Node {
  /// Follows the profile for the background from now on: what command wants of a laptop that nobody
  /// looks at.
  public func goToBackground() {
    inForeground = false
    followSettings()
  }

  /// Takes up what command wants, at the start and when it changes.
  func followSettings() {
    do {
      try read { replica, _ in
        watch.follow(
          try replica.locationProfile(inForeground: inForeground),
          silenceMilliseconds: try replica.silenceMilliseconds())
      }
    } catch {
      logger.error("\(error)")
    }
  }

  /// What the source of this device's fixes is called, for `status`. MUST come before its first
  /// event.
  public func listen(to name: String) { source = (name, .waiting) }

  /// Takes what a location source says. What the disk refuses is worth a line in the log: the next
  /// fix comes soon.
  public func take(_ event: SourceEvent, from origin: FixOrigin) async {
    await untilPeersAnswered()
    switch event {
    case .state(let state):
      guard let known = source, known.state != state else { return }
      source?.state = state
      logger.info("\(known.name): \(state.rawValue)")
    case .reading(.fix(let fix)): take(fix, from: origin)
    case .reading(.noFix): watch.count("no fix")
    case .reading(.refused(let fault)): watch.count(fault.rawValue)
    case .reading(.other): break
    }
  }

  private func take(_ told: SourceFix, from origin: FixOrigin) {
    var isKept = false
    act { replica, now in
      let taken = watch.take(
        told.position, accuracyDecimetres: told.accuracyDecimetres, time: told.sampleTime,
        from: origin, now: now)
      guard let taken else { return .init() }
      isKept = taken.handling > .watched
      return try replica.ingest(
        taken.fix, as: taken.handling, stepsBack: taken.stepsBack, now: now)
    }
    if isKept { act { try $0.shareTrack(isWanted: watch.sharesTrack, now: $1) } }
  }

  /// Command wants to know where this laptop is: it looks closely for a while, and the next fix is
  /// published at once.
  func locate() {
    logger.info("command wants to know where this laptop is")
    watch.locate(now: SystemClock.instant)
  }

  /// Publishes what was kept back, when its time has come.
  func publishDue() {
    act { replica, now in
      guard let report = watch.passDeadline(now: now.instant) else { return .init() }
      return try replica.publish(report, now: now)
    }
  }

  /// Nil where the node only answers commands.
  var locationStatus: LocationStatus? {
    guard isRunning else { return nil }
    return LocationStatus(
      source: source?.name ?? "", state: source?.state.rawValue ?? "", mode: watch.mode.rawValue,
      refused: watch.counts)
  }
}
