import MusterModel

/// Checks that the nodes of a crowd together offer less than their channel carries, whatever it
/// lost before: a collapse ends.
///
/// A minute counts from two minutes after the story began, or its timeline changed something.
final class LoadChecker: Checker {
  private struct Reading {
    let at: Instant
    let bytes: Int
    let dropped: Int
  }

  private static let leastNodes = 20
  private static let calmMilliseconds: Int64 = 120_000
  private static let minuteMilliseconds: Int64 = 60_000

  private let promise = "a crowd offers less than its channel carries"
  private let isCrowd: Bool
  private let eventTimes: [Int64]
  private var start: Reading?

  init(_ scenario: Scenario) {
    isCrowd = scenario.nodes.count >= Self.leastNodes
    let joins = scenario.nodes.map(\.joinsAtMilliseconds)
    eventTimes = scenario.timeline.map(\.atMilliseconds) + joins
  }

  func look(_ world: World) throws {
    guard isCrowd, world.phase == .story, let rate = world.network.sharedBytesPerSecond else {
      return
    }
    let since = eventTimes.filter { $0 <= world.storyMilliseconds }.max() ?? 0
    guard world.storyMilliseconds - since >= Self.calmMilliseconds else {
      start = nil
      return
    }
    let now = Reading(
      at: world.now, bytes: world.network.bytes, dropped: world.network.dropped)
    guard let start else {
      self.start = now
      return
    }
    let elapsed = now.at.milliseconds(since: start.at)
    guard elapsed >= Self.minuteMilliseconds else { return }
    self.start = now
    let offered = Int64(now.bytes - start.bytes) * 1000 / elapsed
    guard offered > rate else { return }
    world.report(
      promise, "\(offered) B/s of \(rate) B/s, \(now.dropped - start.dropped) datagrams dropped")
  }
}
