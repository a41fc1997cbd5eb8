internal import MusterInterchange
internal import MusterModel

/// Text output about the mesh: one line for each link.
enum MeshView {
  static func table(of mesh: MeshSummary, now: Timestamp) -> Table {
    var table = Table(
      ["FROM", "", "TO", "PATH", "SINCE", "UPDATED", "MISSING"], optional: ["SINCE", "PATH"])
    for link in lines(of: mesh) {
      table.add([
        .init(link.fromCallsign, .strong), arrow(link), .init(link.toCallsign, .strong),
        .init(link.path.name),
        .init(ValueText.age(max(0, now.milliseconds(since: link.since) / 1000))),
        updated(link, now: now),
        .init(link.behindFrames.map(missing) ?? "unknown"),
      ])
    }
    return table
  }

  /// One link for each pair of devices: this laptop's own, or the one that was published last.
  static func lines(of mesh: MeshSummary) -> [MeshLink] {
    var chosen: [Set<DeviceID>: MeshLink] = [:]
    for link in mesh.links {
      let pair: Set = [link.from, link.to]
      if let other = chosen[pair], rank(other) >= rank(link) { continue }
      chosen[pair] = link
    }
    return chosen.values.sorted {
      ($0.behindFrames == nil ? 1 : 0, $0.fromCallsign, $0.toCallsign, $0.from)
        < ($1.behindFrames == nil ? 1 : 0, $1.fromCallsign, $1.toCallsign, $1.from)
    }
  }

  private static func rank(_ link: MeshLink) -> (Int, Int64) {
    (link.behindFrames == nil ? 0 : 1, link.reportedAt.milliseconds)
  }

  private static func arrow(_ link: MeshLink) -> Table.Cell {
    link.isMutual ? .init("⇄ both ways", .good) : .init("→ one way", .doubtful)
  }

  private static func updated(_ link: MeshLink, now: Timestamp) -> Table.Cell {
    if link.behindFrames != nil { return .init("now") }
    let age = ValueText.age(link.ageSeconds(now: now)) + " ago"
    return link.isCurrent ? .init(age) : .init(age + ", out of reach", .doubtful)
  }

  private static func missing(_ frames: UInt64) -> String {
    frames == 0 ? "nothing" : ValueText.count(Int(clamping: frames), "frame", "frames")
  }
}
