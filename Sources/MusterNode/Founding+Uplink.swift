internal import Logging
internal import MusterModel
internal import MusterReplica
public import MusterTransport

/// Joining where nothing but HTTPS reaches the inviting device, which is a command post.
///
///     TLS to whoever answers ─▶ the join's handshake inside it, by the invite's secret ─▶ granted
///       ─▶ an ordinary session inside the same ─▶ control logs ─▶ what command posts show by TLS
///
/// Nobody can tell the joiner by TLS who the command post is: an invite has no room for it, and
/// what is learnt on the way in could be anybody's. So TLS is not believed here, and only hides.
/// What is believed is proved inside: the invite's secret and the chain to the root in the URL, and
/// then control logs that are signed up to that root. From then on the certificates that they name
/// are taken, and no others.
extension Founding {
  /// How long the control log may take to come, once the laptop has joined.
  private static let learningSeconds: Int64 = 30

  /// Enrols this device over an uplink, and has it learn which certificates it may take by then.
  ///
  /// - Parameters:
  ///   - target: the inviting device, which serves uplinks there.
  ///   - proxy: on the way there; nil for none.
  ///   - progress: told, a line at a time, what is being waited for.
  public static func join(
    invitation: [UInt8], by target: UplinkTarget, proxy: UplinkProxy?, callsign: String,
    home: NodeHome, passphrase: [UInt8]?, timeoutMilliseconds: Int64,
    progress: (String) -> Void
  ) async throws -> Membership {
    let summary = try Enrolment.summary(ofInvitation: invitation)
    let lock = try claim(home)
    let turn = try UnfinishedHome(home).begin()
    var enrolment = Enrolment(seed: systemSeed())
    try enrolment.begin(
      invitation: invitation, at: [.uplink(0)], seed: systemSeed(), now: SystemClock.instant)
    progress("asking \(target) to join \(summary.operationName) as \(summary.role.name)")
    let call = JoinCall(enrolment: enrolment, timeoutMilliseconds: timeoutMilliseconds)
    let uplinks = UplinkSwitch(joiningAt: target)
    var logger = Logger(label: "muster.join")
    logger.logLevel = .warning
    let client = UplinkClient(proxy: proxy, uplinks: uplinks, logger: logger) {
      UInt64.random(in: .min ... .max)
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await client.run() }
      defer { group.cancelAll() }
      guard let (credentials, keys, _) = try await call.run(by: uplinks) else {
        throw NodeError.noAnswer(reason(of: uplinks, target, timeoutMilliseconds))
      }
      let opened = try settle(
        credentials, keys: keys, callsign: callsign, inviter: nil, home: home, lock: lock,
        turn: turn, passphrase: passphrase)
      let node = Node(opened, transport: nil, uplinks: uplinks, logger: logger)
      if await !learnPosts(node, uplinks) {
        progress(
          "joined, but the command post's certificate has not come: before --uplink can be used, "
            + "meet any laptop that has been in touch with it, or merge a bundle of theirs")
      }
      withExtendedLifetime(lock) {}
      return Membership(credentials, callsign: callsign)
    }
  }

  /// Talks with the command post until it is known what it shows by TLS; false where it is not.
  private static func learnPosts(_ node: Node, _ uplinks: UplinkSwitch) async -> Bool {
    await node.start(peers: [], linkRate: nil)
    await node.take(.opened(.uplink(0), calls: true))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await event in uplinks.events {
          await node.take(event)
          if uplinks.knowsPosts { return }
        }
      }
      group.addTask {
        do {
          try await Task.sleep(for: .seconds(learningSeconds))
        } catch {
          // It was learnt in time.
        }
      }
      await group.next()
      group.cancelAll()
    }
    uplinks.close()
    await node.stop()
    return uplinks.knowsPosts
  }

  private static func reason(
    of uplinks: UplinkSwitch, _ target: UplinkTarget, _ milliseconds: Int64
  ) -> String {
    let trouble = uplinks.summary?.posts.first?.lastError ?? ""
    let why = trouble.isEmpty ? "" : " (\(trouble))"
    return "no answer from \(target) in \(milliseconds / 1000) s\(why): does the inviting node "
      + "itself run there, with --serve?"
  }
}
