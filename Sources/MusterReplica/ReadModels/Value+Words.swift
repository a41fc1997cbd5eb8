internal import MusterModel

extension Value {
  /// Returns the value as text, to show a conflict.
  func words(in field: Field) -> String {
    switch (self, field) {
    case (.text(let text), _): text
    case (.code(let code), .reportCategory): ReportCategory(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .reportStatus): ReportStatus(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .fenceKind): FenceKind(rawValue: code)?.name ?? "\(code)"
    case (.code(let code), .fenceMode): code == 2 ? "strict-aws" : "careful"
    case (.code(let code), .fenceActive): code == 1 ? "active" : "inactive"
    case (.code(let code), _): "\(code)"
    case (.position(let position), _): "\(position.latitude),\(position.longitude)"
    case (.geometry(.circle(let center, let radius)), _):
      "circle of \(radius / 100) m at \(center.latitude),\(center.longitude)"
    case (.geometry(.polygons(let polygons)), _):
      "outline of \(polygons.reduce(0) { $0 + $1.outer.vertices.count }) vertices"
    case (.claim(let claim, let note), _):
      (claim == .safe ? "safe" : "needs help") + (note.isEmpty ? "" : ": \(note)")
    case (.mark, _): "yes"
    case (.reference(let row), _): row.short
    case (.time(let moment), _): "\(moment)"
    case (.number(let number), _): "\(number)"
    case (.bytes(let bytes), _): "\(bytes.count) bytes"
    case (.reply(let user, let note), _): "\(user.short) \(note)"
    case (.overruling(let claim, let note, _), _): Value.claim(claim, note: note).words(in: field)
    case (.accounting, _), (.relayedClaim, _), (.signOff, _), (.signOn, _), (.alertReply, _),
      (.trackerReply, _), (.checkIn, _):
      personalWords
    case (.photo(let photo), _): "photo of \(photo.original.length) bytes"
    case (.profile(let profile), _):
      "\(profile.mode.name), read every \(profile.readingSeconds) s, sent every "
        + "\(profile.sendingSeconds) s"
    }
  }

  private var personalWords: String {
    let (words, note) =
      switch self {
      case .accounting(let accounting): ("accounted for", accounting.note)
      case .relayedClaim(let claim, let note, let login, _):
        ((claim == .safe ? "safe" : "needs help") + " (\(login))", note)
      case .signOff(let reason, _): ("signed off", reason)
      case .signOn(let reason): ("in the operation", reason)
      case .alertReply(let reply): ("acknowledged", reply.note)
      case .trackerReply(_, let note): ("acknowledged for a tracker", note)
      case .checkIn(let report): ("\(report.kind.name)", report.note)
      default: ("", "")
      }
    return note.isEmpty ? words : "\(words): \(note)"
  }
}
