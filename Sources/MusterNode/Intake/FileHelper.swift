internal import MusterModel

/// A client of `muster-file`, which runs SQLite and zlib on what strangers wrote: a process without
/// files, network and other programs, with limits of memory and time (decision 0114). Its answers
/// are checked like data from the network.
///
/// Each file has a process of its own, so that none can change what another contains.
struct FileHelper {
  /// The largest piece of an answer, and all of them.
  private static let (mostPieceBytes, mostBytes) = (16 << 20, 512 << 20)
  private static let headerBytes = 5

  private let helper: Helper

  /// A piece of an answer; `MusterFile` has the layout.
  enum Piece {
    case row(ByteReader)
    case content(ArraySlice<UInt8>)
  }

  /// - Parameters:
  ///   - file: the database; nil without one.
  ///   - program: the path of the helper; nil for the one beside this program.
  init(
    _ file: ForeignFile? = nil, program: String? = nil,
    patience: Duration = .seconds(30)
  ) {
    helper = Helper(
      program ?? Helper.path(of: "muster-file"), greeting: "mfiles1\n", patience: patience,
      file: file)
  }

  /// The id of the process that runs, for tests.
  var pid: Int32? { helper.pid }

  /// Ends the process until the next request.
  func rest() { helper.end() }

  /// Sends a request, and passes the pieces of its answer.
  ///
  /// - Parameter take: returns whether the next piece is wanted; throws for a piece that is not
  ///   valid.
  func ask(
    _ request: ByteWriter, _ take: (Piece) throws -> Bool
  ) throws(ForeignFileFault) {
    var reason: String?
    var isCutOff = false
    do throws(Helper.Fault) {
      try helper.exchange { process, deadline in
        var header = ByteWriter()
        header.append(UInt32(request.bytes.count))
        try process.sendAll(header.bytes + request.bytes, until: deadline)
        var pieces = Pieces(of: process, until: deadline)
        while true {
          let (tag, body) = try pieces.next()
          switch tag {
          case 0: return
          case 1: isCutOff = try !take(.row(ByteReader(body)))
          case 2: isCutOff = try !take(.content(body))
          case 3:
            reason = TextRule.line.fitting(String(decoding: body.prefix(300), as: UTF8.self))
            return
          default: throw Helper.Fault.failed
          }
          if isCutOff { return }
        }
      }
    } catch {
      throw ForeignFileFault(error)
    }
    // The rest of the answer is on its way.
    if isCutOff { helper.end() }
    if let reason { throw ForeignFileFault(reason) }
  }

  /// The pieces of one answer, as they arrive.
  private struct Pieces {
    private let process: HelperProcess
    private let deadline: ContinuousClock.Instant
    private var bytes: [UInt8] = []
    private var read = 0
    private var total = 0

    init(of process: HelperProcess, until deadline: ContinuousClock.Instant) {
      (self.process, self.deadline) = (process, deadline)
    }

    mutating func next() throws -> (tag: UInt8, body: ArraySlice<UInt8>) {
      try receive(headerBytes)
      let count = bytes[read..<read + 4].reduce(0) { $0 << 8 | Int($1) }
      let tag = bytes[read + 4]
      total += headerBytes + count
      guard count <= mostPieceBytes, total <= mostBytes else { throw Helper.Fault.failed }
      try receive(headerBytes + count)
      let start = read + headerBytes
      read = start + count
      return (tag, bytes[start..<read])
    }

    /// Receives until `count` bytes are not read yet.
    private mutating func receive(_ count: Int) throws {
      while bytes.count - read < count {
        bytes.removeFirst(read)
        read = 0
        do throws(HelperProcess.Failure) {
          bytes += try process.receiveSome(atMost: .max, until: deadline)
        } catch {
          // An answer that began is not asked for again.
          throw total > 0 && error == .ended ? Helper.Fault.failed : error
        }
      }
    }
  }
}
