internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Prepares pictures of the local user for a report: scaled, upright and without metadata.
///
/// The decoders run in `muster-image`, a process without files, network and other programs, which
/// is started for the first picture and kept for the next ones. It ends by itself when idle. If a
/// picture stops it or takes too long, the next picture gets a new process.
///
/// Callers MUST NOT pass pictures that other devices sent: a node never decodes those.
///
/// It is an actor with a queue of its own, because it blocks on the helper: one picture at a time,
/// and its functions never suspend. Callers bound how many of them wait.
public actor ImageIntake {
  /// The largest file that is read: what a camera of 200 megapixels stores as PNG is larger, its
  /// JPEG is not.
  public static let mostBytes = 64 << 20

  private static let greeting = Array("mimage1\n".utf8)

  private let program: URL
  private let environment: [String: String]
  private let patience: Duration
  private let executor = QueueExecutor(label: "muster.image-intake")
  private var helper: HelperProcess?

  /// Runs on the intake's queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Starts nothing yet.
  ///
  /// - Parameter program: the path of `muster-image`; nil for the one beside this program.
  /// - Parameter patience: the longest time for one picture, and for the start of the helper.
  /// - Parameter environment: the variables of the helper.
  public init(
    program: String? = nil, patience: Duration = .seconds(30),
    environment: [String: String] = [:]
  ) {
    self.program = program.map { URL(filePath: $0) } ?? Self.besideThisProgram
    self.patience = patience
    self.environment = environment
  }

  /// Reads one picture. Blocks the intake's queue for at most twice the patience.
  ///
  /// - Parameter zone: for a camera that recorded local time only.
  public func read(
    _ bytes: [UInt8], zone: CameraZone
  ) throws(IntakeError) -> IntakePicture {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.mostBytes else { throw .oversized }
    let answer = try answer(to: bytes)
    do {
      return try IntakeAnswer.picture(from: answer, zone: zone)
    } catch {
      if error == .helperFailed { stop() }
      throw error
    }
  }

  /// Ends the helper, if one runs. The next picture starts another one.
  public func stop() {
    helper?.end()
    helper = nil
  }

  /// Sends a picture to a helper, and to a new one if the last one, which was idle, ended: by
  /// itself, or because something ended it. A picture that stops helpers costs two at most.
  private func answer(to bytes: [UInt8]) throws(IntakeError) -> [UInt8] {
    let wasRunning = helper != nil
    let running = try startedHelper()
    do {
      return try Self.exchange(bytes, with: running, until: ContinuousClock.now + patience)
    } catch {
      stop()
      if error as? HelperProcess.Failure == .timedOut { throw .timedOut }
      guard wasRunning else { throw .helperFailed }
      return try answer(to: bytes)
    }
  }

  /// The process id of the helper that runs, for tests.
  var helperPID: Int32? { helper?.pid }

  deinit { helper?.end() }

  private func startedHelper() throws(IntakeError) -> HelperProcess {
    if let helper {
      if !helper.hasEnded { return helper }
      stop()
    }
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw .helperMissing(program.path)
    }
    guard let started = HelperProcess.start(program.path, environment: environment) else {
      throw .helperUnusable
    }
    do {
      let first = try started.receive(
        Self.greeting.count, until: ContinuousClock.now + patience)
      guard first == Self.greeting else { throw HelperProcess.Failure.ended }
    } catch {
      let status = started.end(killing: error as? HelperProcess.Failure == .timedOut)
      throw status == EX_OSERR ? .notConfined : .helperUnusable
    }
    helper = started
    return started
  }

  private static func exchange(
    _ bytes: [UInt8], with helper: HelperProcess, until deadline: ContinuousClock.Instant
  ) throws -> [UInt8] {
    try helper.sendAll(frame(count: bytes.count), until: deadline)
    try helper.sendAll(bytes, until: deadline)
    let count = try helper.receive(4, until: deadline).reduce(0) { $0 << 8 | Int($1) }
    guard (1...IntakeAnswer.mostBytes).contains(count) else { throw HelperProcess.Failure.ended }
    return try helper.receive(count, until: deadline)
  }

  private static func frame(count: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
  }

  private static var besideThisProgram: URL {
    let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? Bundle.main.bundleURL
    return own.deletingLastPathComponent().appending(path: "muster-image")
  }
}
