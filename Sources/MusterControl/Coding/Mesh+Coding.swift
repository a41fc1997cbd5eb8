internal import MusterModel

extension WireMesh {
  init(_ mesh: MeshSummary) {
    self.init()
    links = mesh.links.map(WireMeshLink.init)
  }

  var summary: MeshSummary {
    get throws(ControlFault) {
      MeshSummary(links: try links.checked { link throws(ControlFault) in try link.summary })
    }
  }
}

extension WireMeshLink {
  init(_ link: MeshLink) {
    self.init()
    from = .init(link.from.bytes)
    fromCallsign = link.fromCallsign
    to = .init(link.to.bytes)
    toCallsign = link.toCallsign
    path = UInt32(link.path.rawValue)
    since = link.since.milliseconds
    toldAt = link.toldAt.milliseconds
    isMutual = link.isMutual
    isCurrent = link.isCurrent
    if let frames = link.behindFrames { behindFrames = frames }
  }

  var summary: MeshLink {
    get throws(ControlFault) {
      MeshLink(
        from: try Checked.identifier(from), fromCallsign: fromCallsign,
        to: try Checked.identifier(to), toCallsign: toCallsign, path: try Checked.code(path),
        since: Timestamp(milliseconds: since), toldAt: Timestamp(milliseconds: toldAt),
        isMutual: isMutual, isCurrent: isCurrent,
        behindFrames: hasBehindFrames ? behindFrames : nil)
    }
  }
}
