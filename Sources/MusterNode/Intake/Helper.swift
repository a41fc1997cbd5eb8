internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A helper program, which is confined and not trusted. It is started for the first work and kept
/// for the next; one that ended is replaced.
///
/// Not thread-safe: the owner serializes access.
final class Helper {
  /// Why a helper gave no answer.
  enum Fault: Error, Hashable {
    /// The program is not at this path.
    case missing(String)
    /// The file that it would read cannot be opened.
    case unreadable
    /// It does not start: as a rule, a library is missing.
    case unusable
    /// The system does not let it give up its rights.
    case notConfined
    /// It did not answer in time, and was ended.
    case timedOut
    /// It ended before its answer, or its answer is not valid.
    case failed
  }

  private let program: String
  private let greeting: [UInt8]
  private let patience: Duration
  private let environment: [String: String]
  private let file: ForeignFile?
  private var process: HelperProcess?

  /// Starts nothing yet.
  ///
  /// - Parameters:
  ///   - program: the path of the program.
  ///   - greeting: what it sends when it is confined.
  ///   - patience: the longest time for one exchange, and for the start.
  ///   - environment: its variables.
  ///   - file: what it reads; nil if all that it reads is sent.
  init(
    _ program: String, greeting: String, patience: Duration, environment: [String: String] = [:],
    file: ForeignFile? = nil
  ) {
    self.program = program
    self.greeting = Array(greeting.utf8)
    self.patience = patience
    self.environment = environment
    self.file = file
  }

  deinit { process?.end() }

  /// Returns the path of a program beside this one.
  static func path(of name: String) -> String {
    let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
    return own.deletingLastPathComponent().appending(path: name).path
  }

  /// Gives work to the helper, and to a new one if the last one, which was idle, ended: by itself,
  /// or because something ended it. Work that stops helpers costs two at most.
  ///
  /// - Parameter work: sends and receives. A failure of the process after the first byte of an
  ///   answer that had an effect MUST be thrown as a fault.
  func exchange<Answer>(
    _ work: (HelperProcess, ContinuousClock.Instant) throws -> Answer
  ) throws(Fault) -> Answer {
    let wasRunning = process != nil
    let running = try started()
    do {
      return try work(running, ContinuousClock.now + patience)
    } catch {
      end()
      switch error as? HelperProcess.Failure {
      case .timedOut: throw .timedOut
      case .ended where wasRunning: return try exchange(work)
      default: throw .failed
      }
    }
  }

  /// Ends the process, if one runs. The next work starts another one.
  func end() {
    process?.end()
    process = nil
  }

  /// The id of the process that runs.
  var pid: Int32? { process?.pid }

  private func started() throws(Fault) -> HelperProcess {
    if let process {
      if !process.hasEnded { return process }
      end()
    }
    guard FileManager.default.isExecutableFile(atPath: program) else { throw .missing(program) }
    let input = try file?.open()
    defer { if let input { close(input) } }
    guard let started = HelperProcess.start(program, environment: environment, file: input) else {
      throw .unusable
    }
    do {
      let first = try started.receive(greeting.count, until: ContinuousClock.now + patience)
      guard first == greeting else { throw HelperProcess.Failure.ended }
    } catch {
      let status = started.end(killing: error as? HelperProcess.Failure == .timedOut)
      throw status == EX_OSERR ? .notConfined : .unusable
    }
    process = started
    return started
  }
}
