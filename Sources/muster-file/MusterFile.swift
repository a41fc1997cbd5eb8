import ConfinedHelper

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs the C libraries that read files of strangers, SQLite and zlib, for a node, in a process of
/// its own: a file that exploits one gains nothing but this process, which has no other files, no
/// network and no other programs.
///
/// ```
/// 0    the file, if it is a database
/// 1    from the node: count (u32) ‖ request, repeated
///      to the node: greeting (8), then for each request the pieces of `Answer`
/// request   1 ‖ rows (u32) ‖ count of numbers (u8) ‖ numbers (i64) ‖ query     of the database
///           2 ‖ limit (u32) ‖ deflated bytes
/// ```
///
/// Integers are big-endian. The process ends when the node closes its end, when it was idle for a
/// minute, and after an answer if it used half of its CPU time: the node starts another one. It
/// exits with `EX_OSERR` (71) if the system does not let it confine itself.
@main
enum MusterFile {
  private static let mostRequestBytes = 64 << 20
  private static let memoryBytes: UInt64 = 256 << 20
  private static let greeting = Array("mfiles1\n".utf8)

  static func main() {
    Confinement.closeDescriptors()
    let file = MappedFile(descriptor: 0)
    guard Database.warmUp() else { exit(EX_SOFTWARE) }
    guard Confinement.enter(memoryBytes: memoryBytes) else { exit(EX_OSERR) }
    let node = Exchange(input: 1)
    guard node.write(greeting) else { exit(EX_OK) }
    var database: Database?
    while Confinement.hasTime, node.isReadable(within: Exchange.idleMilliseconds) {
      guard let count = node.readCount(), count <= mostRequestBytes,
        let bytes = node.read(count), let request = Request(bytes)
      else { break }
      var answer = Answer(to: node)
      do throws(Failure) {
        switch request {
        case .query(let query):
          guard let file else { throw Failure("the file is empty") }
          if database == nil { database = try Database(file) }
          try database?.answer(query, into: &answer)
        case .inflate(let bytes, let limit):
          try Inflation.inflate(bytes, limit: limit, into: &answer)
        }
        answer.end()
      } catch {
        answer.end(error)
      }
      guard answer.isReceived else { break }
    }
  }
}

/// Why a request has no answer, or no whole one: one line.
struct Failure: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
