internal import Foundation
internal import Logging
internal import MusterLocation
internal import MusterModel
internal import Synchronization

/// The position receiver, and the clock, which is compared with it.
struct ReceiverCheck {
  /// The source in the settings; nil for none.
  let gpsd: GpsdArgument?
  let nmea: NMEAArgument?

  func findings() async -> [Finding] {
    if gpsd == nil, let nmea { return [Self.finding(of: nmea), Self.clock(against: nil)] }
    let (host, port) = gpsd.map { ($0.host, $0.port) } ?? ("127.0.0.1", GpsdSource.defaultPort)
    let observed = await Self.listen(host: host, port: port)
    return [
      finding(of: observed, at: "gpsd at \(Endpoint.authority(host, port))"),
      Self.clock(against: observed.time),
    ]
  }

  // MARK: Receivers

  private static func finding(of nmea: NMEAArgument) -> Finding {
    switch nmea {
    case .standardInput: return .good("receiver", "NMEA from standard input")
    case .datagrams(_, let port): return .good("receiver", "NMEA from UDP port \(port)")
    case .file(let path):
      guard access(path, R_OK) == 0 else {
        let reason = String(cString: strerror(errno))
        return .bad(
          "receiver", "\(path): \(reason)", "connect it, and add this user to the group dialout")
      }
      return finding(of: readings(of: path), in: path)
    }
  }

  private static func finding(of readings: [Reading], in path: String) -> Finding {
    let advice = "set the receiver to NMEA 0183 with RMC or GGA, and check the baud rate"
    guard !readings.isEmpty else {
      return .doubtful("receiver", "\(path) sends nothing", "connect and start the receiver")
    }
    var fault: ReadingFault?
    for reading in readings {
      switch reading {
      case .fix: return .good("receiver", "\(path) has a position")
      case .noFix: return .good("receiver", "\(path) works, and has no position yet")
      case .refused(let reason): fault = reason
      case .other: break
      }
    }
    let reason = fault.map { " (\($0.rawValue))" } ?? ""
    return .bad("receiver", "\(path) sends data, but no position\(reason)", advice)
  }

  /// Returns what a receiver or a recording writes within a few seconds.
  private static func readings(of path: String) -> [Reading] {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var (decoder, readings) = (NMEADecoder(), [Reading]())
    var buffer = [UInt8](repeating: 0, count: 4096)
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline, readings.count < 200 {
      let count = read(file, &buffer, buffer.count)
      if count > 0 {
        readings += decoder.take(buffer.prefix(count))
        if readings.contains(where: { if case .fix = $0 { true } else { false } }) { break }
      } else if count == 0 {
        return readings + decoder.finish()
      } else {
        guard errno == EAGAIN || errno == EINTR else { break }
        var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, 200)
      }
    }
    return readings
  }

  /// What a gpsd reported in a few seconds.
  fileprivate struct Observation {
    var state: SourceState?
    var hasFix = false
    /// The receiver's time minus this laptop's, in milliseconds.
    var time: Int64?

    var isEnough: Bool { hasFix || state == .unplugged }
  }

  private static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(50)

  private static func listen(host: String, port: Int) async -> Observation {
    let observed = Mutex(Observation())
    var logger = Logger(label: "muster.doctor")
    logger.logLevel = .critical
    let source = GpsdSource(
      host: host, port: port, logger: logger, random: { UInt64.random(in: .min ... .max) },
      deliver: { event in observed.withLock { $0.take(event) } })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // It reconnects to a missing gpsd forever: only cancellation ends it.
        do { try await source.run() } catch {}
      }
      let deadline = ContinuousClock.now + patience
      while ContinuousClock.now < deadline, !observed.withLock(\.isEnough) {
        do { try await Task.sleep(for: pause) } catch { break }
      }
      group.cancelAll()
    }
    return observed.withLock { $0 }
  }

  private func finding(of observed: Observation, at place: String) -> Finding {
    switch observed.state {
    case _ where observed.hasFix: .good("receiver", "\(place) has a position")
    case .unplugged:
      .doubtful("receiver", "\(place) has no receiver", "connect one, or see `gpsdctl`")
    case .connected, .silent, .ended:
      .doubtful(
        "receiver", "\(place) has no position yet",
        "wait under the open sky; `cgps` shows the satellites")
    case .waiting, nil:
      gpsd == nil
        ? .doubtful(
          "receiver", "no \(place), and no other source is set",
          "install gpsd, set gpsd or nmea in muster.toml, or use a phone")
        : .bad("receiver", "\(place) does not answer", "start it, or correct the setting")
    }
  }

  // MARK: The clock

  private static let farOffMilliseconds: Int64 = 2000
  /// When this was written: a correct clock is later.
  private static let written = Timestamp(milliseconds: 1_767_225_600_000)  // 2026-01-01

  /// - Parameter ahead: the receiver's time minus this laptop's, in ms; nil if unknown.
  static func clock(against ahead: Int64?) -> Finding {
    let advice = "set it: reports and positions carry its time"
    if Timestamp.now < written {
      return .bad("clock", "it shows \(LocalTime.utc.text(.now)), which is past", advice)
    }
    if let ahead {
      let seconds = Double(ahead) / 1000
      guard ahead.magnitude <= UInt64(farOffMilliseconds) else {
        return .bad("clock", "\(abs(seconds)) s off the receiver's time", advice)
      }
      return .good("clock", "within \(abs(seconds)) s of the receiver's time")
    }
    if !isDisciplined {
      return .doubtful(
        "clock", "not synchronized by the internet or a receiver",
        "compare it with a correct watch")
    }
    return .good("clock", "synchronized by this system")
  }

  /// Files of running time synchronization services.
  private static let keepers = [
    "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/chronyd.pid",
    "/run/ntpd.pid",
  ]

  /// Whether a service synchronizes the clock.
  private static var isDisciplined: Bool {
    #if os(Linux)
      keepers.contains { access($0, F_OK) == 0 }
    #else
      true
    #endif
  }
}

extension ReceiverCheck.Observation {
  fileprivate mutating func take(_ event: SourceEvent) {
    switch event {
    case .state(let now): state = now
    case .reading(.fix(let fix)):
      hasFix = true
      time = fix.sampleTime.map { $0.milliseconds(since: .now) }
    case .reading: break
    }
  }
}
