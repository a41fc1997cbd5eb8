internal import Foundation
internal import Logging
internal import MusterLocation
internal import MusterModel
internal import Synchronization

/// The receiver that tells where this laptop is, and the clock, which is compared with it.
struct ReceiverCheck {
  /// What the settings name, if anything.
  let gpsd: GpsdArgument?
  let nmea: NMEAArgument?

  func findings() async -> [Finding] {
    if gpsd == nil, let nmea { return [Self.finding(of: nmea), Self.clock(against: nil)] }
    let (host, port) = gpsd.map { ($0.host, $0.port) } ?? ("127.0.0.1", GpsdSource.defaultPort)
    let heard = await Self.listen(host: host, port: port)
    return [
      finding(of: heard, at: "gpsd at \(host):\(port)"), Self.clock(against: heard.time),
    ]
  }

  // MARK: Receivers

  private static func finding(of nmea: NMEAArgument) -> Finding {
    switch nmea {
    case .standardInput: return .good("receiver", "sentences come by standard input")
    case .datagrams(_, let port): return .good("receiver", "sentences come by UDP port \(port)")
    case .file(let path):
      guard access(path, R_OK) == 0 else {
        let reason = String(cString: strerror(errno))
        return .bad(
          "receiver", "\(path): \(reason)", "plug it in, and add this user to the group dialout")
      }
      return .good("receiver", "\(path) can be read")
    }
  }

  /// What a gpsd said in a few seconds.
  fileprivate struct Heard {
    var state: SourceState?
    var hasFix = false
    /// By how much the receiver's time was ahead of this laptop's, in milliseconds.
    var time: Int64?

    var isEnough: Bool { hasFix || state == .unplugged }
  }

  private static let patience = Duration.seconds(5)
  private static let pause = Duration.milliseconds(50)

  private static func listen(host: String, port: Int) async -> Heard {
    let heard = Mutex(Heard())
    var logger = Logger(label: "muster.doctor")
    logger.logLevel = .critical
    let source = GpsdSource(
      host: host, port: port, logger: logger, random: { UInt64.random(in: .min ... .max) },
      deliver: { event in heard.withLock { $0.take(event) } })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // It comes back to a gpsd that is not there, for ever: only its cancellation ends it.
        do { try await source.run() } catch {}
      }
      let deadline = ContinuousClock.now + patience
      while ContinuousClock.now < deadline, !heard.withLock(\.isEnough) {
        do { try await Task.sleep(for: pause) } catch { break }
      }
      group.cancelAll()
    }
    return heard.withLock { $0 }
  }

  private func finding(of heard: Heard, at place: String) -> Finding {
    switch heard.state {
    case _ where heard.hasFix: .good("receiver", "\(place) knows where this laptop is")
    case .unplugged:
      .doubtful("receiver", "\(place) has no receiver", "plug one in, or see `gpsdctl`")
    case .connected, .silent, .ended:
      .doubtful(
        "receiver", "\(place) does not know yet where this laptop is",
        "wait under the open sky; `cgps` shows what it sees")
    case .waiting, nil:
      gpsd == nil
        ? .doubtful(
          "receiver", "no \(place), and none is set",
          "install gpsd, or set gpsd or nmea in muster.toml; phones can tell over --http")
        : .bad("receiver", "\(place) does not answer", "start it, or correct the setting")
    }
  }

  // MARK: The clock

  private static let farOffMilliseconds: Int64 = 2000
  /// When this was written: no clock that is right is before.
  private static let written = Timestamp(milliseconds: 1_767_225_600_000)  // 2026-01-01

  /// - Parameter ahead: of this laptop's clock, the receiver's; nil where it was not heard.
  static func clock(against ahead: Int64?) -> Finding {
    let advice = "set it: what people write carries its time, and so does every fix"
    if Timestamp.now < written {
      return .bad("clock", "it says \(Timestamp.now), which is past", advice)
    }
    if let ahead {
      let seconds = Double(ahead) / 1000
      guard ahead.magnitude <= UInt64(farOffMilliseconds) else {
        return .bad("clock", "\(abs(seconds)) s off the receiver's", advice)
      }
      return .good("clock", "within \(abs(seconds)) s of the receiver's")
    }
    if !isDisciplined {
      return .doubtful(
        "clock", "nothing keeps it: neither the internet nor a receiver",
        "compare it with a watch that is right")
    }
    return .good("clock", "kept in step by this system")
  }

  /// What programs that keep a clock right leave behind while they do.
  private static let keepers = [
    "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/chronyd.pid",
    "/run/ntpd.pid",
  ]

  /// Whether the system's clock follows another.
  private static var isDisciplined: Bool {
    #if os(Linux)
      keepers.contains { access($0, F_OK) == 0 }
    #else
      true
    #endif
  }
}

extension ReceiverCheck.Heard {
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
