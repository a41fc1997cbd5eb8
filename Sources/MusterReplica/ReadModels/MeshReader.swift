internal import MusterModel
internal import MusterSync

/// The mesh topology: assembled from the newest neighbour record of each device.
struct MeshReader {
  let context: ReadContext
  let engine: SyncEngine
  let keyring: Keyring

  /// Returns the links of this device now, and those that others published. Records of revoked
  /// devices are ignored.
  func mesh(now: ClockReading) throws -> MeshSummary {
    let known = knownDevices()
    var links = ownLinks(now: now)
    var reached: Set<DeviceID> = [context.local.device]
    for (author, published, isFresh) in publishedRecords(now: now.instant) {
      if isFresh { reached.insert(author) }
      for neighbour in published.neighbours {
        guard let device = known[neighbour.device], device != author else { continue }
        let since = published.sentAt.milliseconds &- 60_000 * Int64(neighbour.minutes)
        links.append(
          MeshLink(
            from: author, fromCallsign: "", to: device, toCallsign: "", path: neighbour.path,
            since: Timestamp(milliseconds: since), reportedAt: published.sentAt,
            isMutual: false, isCurrent: false, behindFrames: nil))
      }
    }
    let callsigns = Dictionary(
      try context.devices().map { ($0.id, $0.callsign) }, uniquingKeysWith: { first, _ in first })
    var neighbours: [DeviceID: Set<DeviceID>] = [:]
    for link in links { neighbours[link.from, default: []].insert(link.to) }
    extend(&reached, over: neighbours)
    for index in links.indices {
      let (from, to) = (links[index].from, links[index].to)
      links[index].fromCallsign = callsigns[from] ?? from.short
      links[index].toCallsign = callsigns[to] ?? to.short
      if neighbours[to]?.contains(from) == true { links[index].isMutual = true }
      links[index].isCurrent = reached.contains(from)
    }
    return MeshSummary(links: links.sorted { ($0.from, $0.to) < ($1.from, $1.to) })
  }

  /// Returns the newest neighbour record of each other device, by device; current if new data of it
  /// has just arrived.
  private func publishedRecords(
    now: Instant
  ) -> [(author: DeviceID, content: NeighbourRecord, isFresh: Bool)] {
    var newest: [DeviceID: (order: RecordOrder, content: NeighbourRecord, isFresh: Bool)] = [:]
    for record in engine.records(of: .neighbours) {
      guard let author = context.control.author(of: record.certificate)?.device,
        author != context.local.device, !context.control.isRevoked(author),
        newest[author].map({ $0.order < record.order }) ?? true,
        let content = neighbourhood(in: record)
      else { continue }
      newest[author] = (
        record.order, content, engine.hasRecentData(of: record.certificate, now: now)
      )
    }
    return newest.sorted { $0.key < $1.key }.map { ($0.key, $0.value.content, $0.value.isFresh) }
  }

  /// A validated session proves both directions, whatever the peer has published.
  private func ownLinks(now: ClockReading) -> [MeshLink] {
    let received = Dictionary(
      engine.neighbours(now: now.instant).map { ($0.device, $0) }, uniquingKeysWith: { $1 })
    return engine.peerStatus(now: now.instant).compactMap { peer in
      guard let neighbour = received[peer.device] else { return nil }
      let milliseconds = max(0, now.instant.milliseconds(since: neighbour.since))
      return MeshLink(
        from: context.local.device, fromCallsign: "", to: peer.device, toCallsign: "",
        path: neighbour.path,
        since: Timestamp(milliseconds: now.wall.milliseconds &- milliseconds),
        reportedAt: now.wall, isMutual: peer.isConnected, isCurrent: true,
        behindFrames: peer.behindFrames)
    }
  }

  /// Extends the reachable devices by their links, transitively.
  private func extend(
    _ reached: inout Set<DeviceID>, over neighbours: [DeviceID: Set<DeviceID>]
  ) {
    var next = Array(reached)
    while let device = next.popLast() {
      for other in neighbours[device] ?? [] where reached.insert(other).inserted {
        next.append(other)
      }
    }
  }

  /// Returns the paths that this device published before the start; none if they cannot be read.
  func publishedPaths() -> NeighbourPublisher.Paths {
    let topic = RecordTopic(
      operation: context.local.operation, certificate: context.local.certificate.hash,
      kind: .neighbours)
    guard let content = engine.record(topic).flatMap(neighbourhood) else { return [:] }
    let known = knownDevices()
    var paths: NeighbourPublisher.Paths = [:]
    for neighbour in content.neighbours {
      if let device = known[neighbour.device] { paths[device] = neighbour.path }
    }
    return paths
  }

  private func neighbourhood(in record: LatestRecord) -> NeighbourRecord? {
    keyring[record.epoch, by: record.certificate].flatMap {
      record.neighbourhood(operation: context.local.operation, key: $0)
    }
  }

  /// Returns devices by the prefix of their ids; an ambiguous prefix is omitted.
  private func knownDevices() -> [DevicePrefix: DeviceID] {
    let devices = Set(context.control.admissions.map(\.signed.certificate.device))
    return Dictionary(grouping: devices, by: DevicePrefix.init)
      .compactMapValues { $0.count == 1 ? $0.first : nil }
  }
}
