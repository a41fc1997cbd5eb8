import Logging
import MusterCrypto
import MusterModel
import MusterNode
import MusterReplica
import MusterSync
import MusterTransport

/// A device of a load test that is a session and nothing else: keys, engine and uplink client of a
/// node, without a database. Thousands fit one process.
///
/// On its uplink it does what a laptop does: TLS, handshake with its own certificate, heartbeats,
/// digests, requests, acknowledgements. It verifies the hash chain of each frame, and its signature
/// unless another device of this process has verified the same one. It remembers the newest frame
/// of each log, and every record.
///
/// It does not open frames or records, merge or store them, and it writes nothing but positions. It
/// keeps no frames either: a peer that requests one gets none. So it must begin with what all
/// others hold.
actor LoadSession {
  /// The number of the device in its operation.
  let number: Int
  private var engine: SyncEngine
  private let uplinks: UplinkSwitch
  private let client: UplinkClient
  private var source: PositionSource?
  private var timer = DeadlineTimer()
  private var isProven = false
  /// When each awaited frame arrived here.
  private(set) var arrivals: [FrameHash: Timestamp] = [:]
  /// Frames that a peer requested in vain.
  private(set) var unserved = 0

  /// - Parameters:
  ///   - engine: with the keys of the device.
  ///   - source: its positions; nil if it has none.
  init(
    _ engine: SyncEngine, number: Int, at target: UplinkTarget, positions source: PositionSource?
  ) {
    (self.engine, self.number, self.source) = (engine, number, source)
    uplinks = UplinkSwitch(joiningAt: target)
    var logger = Logger(label: "muster-bench")
    logger.logLevel = .critical
    client = UplinkClient(proxy: nil, uplinks: uplinks, logger: logger) {
      UInt64.random(in: .min ... .max)
    }
  }

  /// Connects, and synchronizes until it is cancelled.
  nonisolated func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { try await self.client.run() } catch { progress("an uplink ended: \(error)") }
      }
      group.addTask { for await event in self.uplinks.events { await self.take(event) } }
    }
  }

  /// Whether the other end has shown on the session what it holds: a session that only this side
  /// considers established carries nothing.
  var isConnected: Bool {
    isProven && engine.haveShown(engine.heads.filter { $0.lane == .state }.map(\.head.log)) == true
  }

  /// What it holds, as a root that equals that of every device with the same.
  var root: [UInt8] { engine.rootBytes() }

  /// Publishes a position of this moment.
  func move(to position: Coordinate) {
    let now = SystemClock.reading
    let report = PositionReport(
      fix: Fix(position: position, sampleTime: now.wall), reportedAt: now.wall)
    guard let record = source?.record(of: report, echoing: nil, now: now).record else { return }
    perform(engine.handle(.recorded([record]), now: now))
  }

  private func take(_ event: UplinkSwitch.Event) {
    switch event {
    case .opened(let endpoint, _): handle(.uplinkOpened(endpoint))
    case .closed(let endpoint):
      isProven = false
      handle(.uplinkClosed(endpoint))
    case .datagrams(let batch):
      for datagram in batch {
        handle(.datagram(datagram.bytes, from: datagram.from, link: datagram.link))
      }
    }
  }

  private func handle(_ input: Input) {
    perform(engine.handle(input, now: SystemClock.reading))
    timer.arm(for: engine.nextDeadline) { [weak self] in await self?.passDeadlines() }
  }

  private func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .send(let bytes, .endpoint(let endpoint, _)): uplinks.send(bytes, to: endpoint)
      case .store(.frames(_, let frames)):
        let now = SystemClock.wall
        for frame in frames { arrivals[frame.hash] = now }
      case .notice(.uplinkProven(let endpoint, let device)):
        uplinks.prove(endpoint, as: device)
        isProven = true
      case .fetch(let request):
        unserved += 1
        perform(engine.handle(.fetched(request, []), now: SystemClock.reading))
      case .fetchUnit(let fetch):
        perform(engine.handle(.fetchedUnit(fetch, nil), now: SystemClock.reading))
      case .send, .store, .notice, .admit: break
      }
    }
  }

  private func passDeadlines() {
    timer.pass()
    handle(.deadlinePassed)
  }
}
