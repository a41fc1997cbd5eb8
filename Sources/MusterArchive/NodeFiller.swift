internal import Foundation
internal import MusterModel

/// Gives a node what only the archive has: archived logs and blobs ─▶ a bundle ─▶ the node, which
/// verifies it like a memory stick.
struct NodeFiller {
  let archive: Archive
  let post: ArchivePost
  /// 32 bytes from the operating system, used nowhere else.
  let seed: [UInt8]

  private static let mergeBytes = 512 * 1024

  private var operation: OperationID { post.local.operation }

  /// Gives the node the archived logs that it does not hold.
  ///
  /// - Returns: how many frames were new to it.
  func mergeMissing() async throws -> Int {
    guard case .logStates(let states) = try await post.ask(.logStates) else {
      throw ArchivePost.unexpectedReply
    }
    return try await mergeMissing(states)
  }

  /// - Parameter states: what the node holds; what is newer there MAY be missing in the archive.
  func mergeMissing(_ states: [LogState]) async throws -> Int {
    let missing = Self.missing(of: states, in: try archive.heads(of: operation))
    guard !missing.isEmpty else { return 0 }
    return try await merge(logs: missing, blobs: [])
  }

  /// Returns the logs that a node does not hold as far as the archive, with the first sequence that
  /// it lacks. Of a log that has forked, it may lack any.
  static func missing(
    of states: [LogState], in archived: [LogID: BranchHeads]
  ) -> [LogID: UInt64] {
    let held = Dictionary(grouping: states, by: \.log)
    return archived.reduce(into: [:]) { missing, item in
      let (log, heads) = item
      let states = held[log] ?? []
      let hashes = Set(states.map(\.hash))
      guard let newest = heads.tips.values.max(), !heads.tips.keys.allSatisfy(hashes.contains)
      else { return }
      guard heads.forks.isEmpty, states.count == 1, let last = states.first?.last else {
        missing[log] = 0
        return
      }
      if newest > last { missing[log] = last + 1 }
    }
  }

  /// - Parameter logs: by log, the first sequence.
  func merge(logs: [LogID: UInt64], blobs: Set<BlobID>) async throws -> Int {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "muster-archive-\(UUID().uuidString)")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else {
      throw ArchiveFault("cannot write \(file.path): \(String(cString: strerror(errno)))")
    }
    // Without a name, so that a program that is killed leaves no file.
    unlink(file.path)
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    _ = try archive.export(
      of: post.local, seed: seed, first: { log, _ in logs[log] }, blobs: blobs,
      write: { try handle.write(contentsOf: Data($0)) })
    try handle.seek(toOffset: 0)
    return try await merge(handle)
  }

  private func merge(_ handle: FileHandle) async throws -> Int {
    var (rest, place, merged) = ([UInt8](), [UInt8](), 0)
    while true {
      let bytes = try handle.read(upToCount: Self.mergeBytes).map(Array.init) ?? []
      rest += bytes
      guard
        case .bundleProgress(let step) = try await post.ask(
          .mergeBundle(ByteString(rest), at: ByteString(place), isLast: bytes.isEmpty))
      else { throw ArchivePost.unexpectedReply }
      rest.removeFirst(step.consumed)
      place = step.next
      merged += step.tally.frames.new
      if let (reason, count) = step.tally.frames.refused.min(by: { $0.key < $1.key }) {
        throw ArchiveFault(
          "the node rejects \(count) archived frames (\(reason.name)): import from the device that "
            + "wrote them, then project again")
      }
      if step.end != nil || bytes.isEmpty { return merged }
    }
  }
}
