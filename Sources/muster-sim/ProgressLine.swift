import Foundation
import MusterSimulator

/// A progress line on the terminal.
final class ProgressLine {
  private let isShown: Bool
  private var last = ContinuousClock.now

  init(isShown: Bool) { self.isShown = isShown && isatty(2) == 1 }

  func show(_ world: World) {
    guard isShown, ContinuousClock.now - last > .milliseconds(200) else { return }
    last = ContinuousClock.now
    let done = world.storyMilliseconds * 100 / max(1, world.scenario.durationMilliseconds)
    let bar =
      String(repeating: "█", count: Int(done) / 4)
      + String(repeating: "░", count: 25 - Int(done) / 4)
    Standard.error.write("\r\(bar) \(done) %  \(world.phase.rawValue)  \(world.summary)\u{1B}[K")
  }

  func show(_ text: String) {
    guard isShown else { return }
    Standard.error.write("\r\(text)\u{1B}[K")
  }

  func clear() {
    if isShown { Standard.error.write("\r\u{1B}[K") }
  }
}
