internal import MusterModel
internal import MusterNode
internal import MusterTransport

/// The node's counters in the Prometheus text format.
enum Metrics {
  static func text(of api: API) async throws -> String {
    let status = try await api.status().summary
    var lines: [String] = []
    gauges(of: status, subscribers: api.live.subscribers, &lines)
    let counts = api.node.changeCounts
    family(
      "muster_changes_total", "counter", "Changes of a data set at this node",
      Dataset.allCases.map { ("dataset=\"\($0.name)\"", counts[$0]) }, &lines)
    family(
      "muster_rejected_datagrams_total", "counter", "Datagrams dropped, by reason",
      status.rejected.sorted { $0.key < $1.key }.map {
        ("reason=\"\(escaped($0.key))\"", $0.value)
      },
      &lines)
    if let transport = api.node.transportCounters { counters(of: transport, &lines) }
    family(
      "muster_http_requests_total", "counter", "API requests answered, by status",
      api.requests.byStatus.map { ("status=\"\($0.status)\"", $0.count) }, &lines)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func gauges(
    of status: StatusSummary, subscribers: Int, _ lines: inout [String]
  ) {
    let gauges: [(String, String, Int)] = [
      ("logs", "Logs held", status.logs), ("frames", "Frames held", status.frames),
      ("waiting_frames", "Frames held and not applied yet", status.waitingFrames),
      ("waiting_writes", "Writes to rows whose create has not arrived", status.waitingWrites),
      ("quarantined_frames", "Frames in quarantine", status.quarantinedFrames),
      ("missing_frames", "Frames lost by damage and not received again", status.missingFrames),
      ("users", "People", status.users), ("reports", "Reports", status.reports),
      ("fences", "Fences", status.fences), ("crossings", "Crossings", status.crossings),
      ("forked_logs", "Forked logs", status.forks.count),
      ("clones", "Devices with a live clone", status.clones.count),
      ("stream_subscribers", "Open event streams", subscribers),
    ]
    for (name, about, value) in gauges {
      family("muster_\(name)", "gauge", about, [("", UInt64(max(0, value)))], &lines)
    }
    let peers = Dictionary(grouping: status.peers, by: \.state).mapValues(\.count)
    let states: [(String, PeerSummary.State)] = [
      ("connected", .connected), ("discovered", .discovered), ("silent", .silent),
    ]
    family(
      "muster_peers", "gauge", "Peers met since the start, by state",
      states.map { ("state=\"\($0)\"", UInt64(peers[$1] ?? 0)) }, &lines)
    family(
      "muster_behind_frames", "gauge", "Frames that peers are missing, in total",
      [("", status.peers.reduce(0) { $0 &+ $1.behindFrames })], &lines)
    // The second name is the one of earlier programs.
    for name in ["muster_send_queue_drops_total", "muster_room_drops_total"] {
      family(
        name, "counter", "Messages dropped because a send queue was full",
        [("", status.droppedForLackOfRoom)], &lines)
    }
    family(
      "muster_repeated_datagrams_total", "counter",
      "Datagrams sent again although they had arrived, by cause",
      [
        ("cause=\"loss\"", status.retransmissions.afterLoss),
        ("cause=\"timeout\"", status.retransmissions.withoutLoss),
      ], &lines)
    if let free = status.diskFreeBytes {
      family("muster_disk_free_bytes", "gauge", "Free disk space", [("", free)], &lines)
    }
  }

  private static func counters(of transport: TransportCounters, _ lines: inout [String]) {
    let counters: [(String, String, UInt64)] = [
      ("sent_datagrams", "Datagrams sent", transport.sent),
      ("sent_bytes", "Bytes sent", transport.sentBytes),
      ("received_datagrams", "Datagrams received", transport.received),
      ("received_bytes", "Bytes received", transport.receivedBytes),
      ("socket_errors", "Socket errors", transport.socketErrors),
      ("rebuilt_sockets", "Sockets reopened", transport.rebuiltSockets),
    ]
    for (name, about, value) in counters {
      family("muster_\(name)_total", "counter", about, [("", value)], &lines)
    }
  }

  private static func family(
    _ name: String, _ type: String, _ about: String, _ samples: [(labels: String, value: UInt64)],
    _ lines: inout [String]
  ) {
    lines.append("# HELP \(name) \(about).")
    lines.append("# TYPE \(name) \(type)")
    for (labels, value) in samples {
      lines.append(labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)")
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
