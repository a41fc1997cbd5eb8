import CVips
import ConfinedHelper

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Decodes pictures of the local user for a node, in a process of its own: a picture that exploits
/// a decoder gains nothing but this process, which has no files, no network and no other programs.
///
/// ```
/// stdin   count (u32) ‖ picture, repeated
/// stdout  greeting (8), then for each picture: count (u32) ‖ answer
/// ```
///
/// Integers are big-endian. `Answer` describes the rest. The process ends at the end of its input,
/// when it was idle for a minute, and after a picture if it used half of its CPU time: the node
/// starts another one. It exits with `EX_OSERR` (71) if the system does not let it confine itself.
@main
enum MusterImage {
  /// The largest file that is read.
  static let mostBytes = 64 << 20
  /// The address space beyond that of the libraries. A HEIF of 50 megapixels needs half of it.
  private static let memoryBytes: UInt64 = 1 << 30
  private static let greeting = Array("mimage1\n".utf8)

  static func main() {
    Confinement.closeDescriptors()
    guard muster_vips_start() == 0, Picture.warmUp() else { exit(EX_SOFTWARE) }
    guard Confinement.enter(memoryBytes: memoryBytes) else { exit(EX_OSERR) }
    let node = Exchange(input: 0)
    guard node.write(greeting) else { exit(EX_OK) }
    while Confinement.hasTime, node.isReadable(within: Exchange.idleMilliseconds) {
      guard let count = node.readCount() else { break }
      guard count <= mostBytes else {
        _ = node.write(Answer.rejected(.oversized).framed)
        break
      }
      guard let bytes = node.read(count) else { break }
      guard node.write(answer(to: bytes).framed) else { break }
    }
  }

  private static func answer(to bytes: [UInt8]) -> Answer {
    do {
      return .picture(try Picture.read(bytes))
    } catch {
      return .rejected(error)
    }
  }
}
