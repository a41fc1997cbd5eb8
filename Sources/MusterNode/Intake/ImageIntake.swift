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

  private let helper: Helper
  private let executor = QueueExecutor(label: "muster.image-intake")

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
    helper = Helper(
      program ?? Helper.path(of: "muster-image"), greeting: "mimage1\n", patience: patience,
      environment: environment)
  }

  /// Reads one picture. Blocks the intake's queue for at most twice the patience.
  ///
  /// - Parameter zone: for a camera that recorded local time only.
  public func read(
    _ bytes: [UInt8], zone: CameraZone
  ) throws(IntakeError) -> IntakePicture {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Self.mostBytes else { throw .oversized }
    do {
      let answer = try helper.exchange { process, deadline in
        try process.sendAll(Self.frame(count: bytes.count), until: deadline)
        try process.sendAll(bytes, until: deadline)
        let count = try process.receive(4, until: deadline).reduce(0) { $0 << 8 | Int($1) }
        guard (1...IntakeAnswer.mostBytes).contains(count) else { throw Helper.Fault.failed }
        return try process.receive(count, until: deadline)
      }
      return try IntakeAnswer.picture(from: answer, zone: zone)
    } catch let fault as Helper.Fault {
      throw IntakeError(fault)
    } catch let error as IntakeError {
      if error == .helperFailed { stop() }
      throw error
    } catch {
      throw .helperFailed
    }
  }

  /// Ends the helper, if one runs. The next picture starts another one.
  public func stop() { helper.end() }

  /// The process id of the helper that runs, for tests.
  var helperPID: Int32? { helper.pid }

  private static func frame(count: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
  }
}
