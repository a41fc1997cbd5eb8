internal import Foundation

/// Prints the story as it happens: a line for each completed step, with the seconds since the
/// start. On a terminal a moving line shows what a step waits for; elsewhere a plain line is
/// printed within a second.
actor Progress {
  nonisolated let screen: Screen
  private let start = ContinuousClock.now
  private var lastLine = ContinuousClock.now
  private var note = ""

  private static let wheel = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
  private static let frame = Duration.milliseconds(100)
  private static let longestSilence = Duration.milliseconds(850)

  init(screen: Screen) { self.screen = screen }

  /// Prints the introduction, before the first step.
  func introduce(_ text: String) throws {
    try screen.write(text + "\n")
    lastLine = .now
  }

  /// Runs a step, shown while it runs and when it is done.
  ///
  /// - Parameter summary: the line for the result; the title if there is nothing to add.
  func step<Value: Sendable>(
    _ title: String, sign: String = "✔", summary: @Sendable (Value) -> String? = { _ in nil },
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    note = ""
    async let _ = tick(title)
    do {
      let value = try await body()
      try line(screen.paint(sign, sign == "✔" ? .good : .doubtful), summary(value) ?? title)
      return value
    } catch {
      if !(error is CancellationError) { try line(screen.paint("✖", .bad), title) }
      throw error
    }
  }

  /// Sets what the current step waits for.
  func wait(for note: String) { self.note = note }

  /// Removes the moving line before other output.
  func clear() throws {
    if screen.isTerminal { try screen.write("\r\u{1B}[K") }
  }

  private func line(_ sign: String, _ text: String) throws {
    try clear()
    try screen.write("\(screen.paint(elapsed, .faint))  \(sign) \(text)\n")
    lastLine = .now
  }

  private func tick(_ title: String) async {
    let began = ContinuousClock.now
    var turn = 0
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: Self.frame)
        let text = note.isEmpty ? title : "\(title) – \(note)"
        if screen.isTerminal {
          turn += 1
          let wheel = Self.wheel[turn % Self.wheel.count]
          // With room for the time and the spinner, since a wrapped line would leave traces.
          let shown = text.prefix(max(0, screen.columns - 14))
          try screen.write("\r\u{1B}[K\(screen.paint(elapsed, .faint))  \(wheel) \(shown)")
        } else if lastLine.duration(to: .now) >= Self.longestSilence {
          try line("…", "\(text) (\(began.duration(to: .now).inSeconds))")
        }
      } catch {
        // Cancelled, or the output is closed, which the step's own line detects.
        return
      }
    }
  }

  private var elapsed: String { start.duration(to: .now).inSeconds.padded(to: 7, left: true) }
}

extension Duration {
  /// With one decimal: `3.2 s`.
  var inSeconds: String {
    let tenths = (self / .milliseconds(100)).rounded()
    return "\(tenths / 10) s"
  }
}

extension String {
  func padded(to width: Int, left: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return left ? padding + self : self + padding
  }
}
