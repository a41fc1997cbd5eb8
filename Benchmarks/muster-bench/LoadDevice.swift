import Foundation
import Logging
import MusterModel
import MusterNode
import MusterReplica
import MusterStore
import MusterSync
import MusterTransport

/// A whole laptop of a load test: the replica and the uplink client of a node, with a database in
/// memory and neither a home nor a socket.
actor LoadDevice {
  /// The number of the device in its operation; 0 for the founder.
  let number: Int
  private var replica: Replica
  private let uplinks: UplinkSwitch
  private let client: UplinkClient
  private var timer = DeadlineTimer()
  private(set) var isConnected = false
  /// By user, the newest position that was seen here. Only an observer looks.
  private var seen: [UserID: Timestamp] = [:]
  private(set) var lags: [Int64] = []
  private let isObserver: Bool
  /// When each row was first seen here.
  private(set) var arrivals: [RowID: Timestamp] = [:]

  /// A replica on its way to the actor that owns it: MUST NOT be used elsewhere.
  struct Handover: @unchecked Sendable {
    let replica: Replica
  }

  init(_ handover: Handover, number: Int, at target: UplinkTarget, isObserver: Bool) {
    replica = handover.replica
    self.number = number
    self.isObserver = isObserver
    uplinks = UplinkSwitch(joiningAt: target)
    var logger = Logger(label: "muster-bench")
    logger.logLevel = .critical
    client = UplinkClient(proxy: nil, uplinks: uplinks, logger: logger) {
      UInt64.random(in: .min ... .max)
    }
  }

  var user: UserID { replica.user }

  /// Connects, and synchronizes until it is cancelled.
  nonisolated func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        do { try await self.client.run() } catch { progress("an uplink ended: \(error)") }
      }
      group.addTask { for await event in self.uplinks.events { await self.take(event) } }
    }
  }

  private func take(_ event: UplinkSwitch.Event) {
    switch event {
    case .opened(let endpoint, let calls):
      act { try $0.uplinkOpened(endpoint, calls: calls, now: $1) }
    case .closed(let endpoint):
      isConnected = false
      act { try $0.uplinkClosed(endpoint, now: $1) }
    case .datagrams(let batch):
      act { replica, now in
        try replica.receive(
          batch.map { (bytes: $0.bytes, from: $0.from, link: $0.link) }, now: now)
      }
    }
  }

  /// Publishes a position of this moment.
  func move(to position: Coordinate) {
    act { replica, now in
      try replica.ingest(Fix(position: position, sampleTime: now.wall), now: now)
    }
  }

  /// A report that was written here.
  struct Written: Sendable {
    let id: RowID
    /// The frame that contains it.
    let frame: FrameHash
    let at: Timestamp
  }

  /// Adds a report.
  func report() throws -> Written {
    var id: RowID?
    let begun = SystemClock.wall
    act { replica, now in
      let (row, outcome) = try replica.write(
        ReportRequests.add(ReportDraft(title: "Smoke")), now: now)
      id = row
      return outcome
    }
    guard let id, let head = ModifiedProgram.writtenHead(in: .state, of: replica) else {
      throw ExitStatus(description: "the report was not written")
    }
    return Written(id: id, frame: head.hash, at: begun)
  }

  /// Whether it holds the roster of so many people.
  func knows(_ people: Int) throws -> Bool {
    try replica.statuses(now: SystemClock.reading).users().count >= people
  }

  /// What it holds, as a root that equals that of every device with the same.
  var root: [UInt8] { replica.root() }

  /// Its engine, to copy what it holds.
  var engine: SyncEngine { ModifiedProgram.engine(of: replica) }

  /// Returns a source of another device's positions.
  func positions(of credentials: Credentials, seed: [UInt8]) -> PositionSource? {
    replica.positionSource(of: credentials, seed: seed)
  }

  private func act(_ work: (inout Replica, ClockReading) throws -> Replica.Outcome) {
    do {
      let outcome = try work(&replica, SystemClock.reading)
      for case .to(let endpoint, _, let bytes) in outcome.outgoing where endpoint.isUplink {
        uplinks.send(bytes, to: endpoint)
      }
      for (endpoint, device) in outcome.provenUplinks {
        uplinks.prove(endpoint, as: device)
        isConnected = true
      }
      let now = SystemClock.wall
      for row in outcome.changedRows where row.kind == .report && arrivals[row.id] == nil {
        arrivals[row.id] = now
      }
      if isObserver, outcome.hasMovement { try look(at: now) }
    } catch {
      progress("device \(number): \(error)")
    }
    timer.arm(for: replica.nextDeadline) { [weak self] in await self?.passDeadlines() }
  }

  private func look(at now: Timestamp) throws {
    for user in try replica.statuses(now: SystemClock.reading).users() {
      guard user.id != replica.user, let time = user.fix?.sampleTime, seen[user.id] != time
      else { continue }
      seen[user.id] = time
      lags.append(now.milliseconds - time.milliseconds)
    }
  }

  /// How long ago the newest position of each other user was sampled that is shown here.
  func ages() -> [Int64] {
    let now = SystemClock.wall
    return seen.values.map { now.milliseconds - $0.milliseconds }
  }

  /// Forgets the lags so far.
  func forgetLags() { lags = [] }

  private func passDeadlines() {
    timer.pass()
    act { try $0.passDeadlines(now: $1) }
  }
}
