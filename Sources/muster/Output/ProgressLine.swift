internal import Foundation
internal import Synchronization

/// One line on standard error that shows that long work goes on, on a terminal that can erase it.
/// It appears after a second and is erased at the end.
final class ProgressLine: Sendable {
  private struct State {
    var detail = ""
    var isShown = false
    var hasEnded = false
  }

  private let title: String
  private let begin = ContinuousClock.now
  private let state = Mutex(State())

  private init(_ title: String) { self.title = title }

  /// Shows the title and the seconds so far while the work runs.
  static func during<Result: Sendable>(
    _ title: String, _ work: (ProgressLine) async throws -> Result
  ) async throws -> Result {
    let line = ProgressLine(title)
    let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
    guard isatty(STDERR_FILENO) == 1, !isDumb else { return try await work(line) }
    let ticker = Task {
      while true {
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
        line.show()
      }
    }
    defer {
      ticker.cancel()
      line.erase()
    }
    return try await work(line)
  }

  /// Changes what stands behind the title, such as `3 of 20`.
  func update(_ detail: String) { state.withLock { $0.detail = detail } }

  /// Prints a line of its own on standard error, above this one.
  func note(_ text: String) {
    state.withLock { state in
      if state.isShown { write("\r\u{1B}[K") }
      state.isShown = false
      Standard.complain(text)
    }
  }

  private func show() {
    let seconds = (ContinuousClock.now - begin).components.seconds
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.isShown = true
      let detail = state.detail.isEmpty ? "" : " " + state.detail
      write("\r\(title)…\(detail) \(seconds) s\u{1B}[K")
    }
  }

  private func erase() {
    state.withLock { state in
      state.hasEnded = true
      if state.isShown { write("\r\u{1B}[K") }
    }
  }

  private func write(_ text: String) {
    do {
      try Standard.ask(text)
    } catch {
      // A progress line that cannot be shown changes nothing about the work.
    }
  }
}
