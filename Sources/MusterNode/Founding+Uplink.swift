internal import Logging
internal import MusterModel
internal import MusterReplica
public import MusterTransport

/// Joining where the inviting device, a command post, is reachable only over HTTPS.
///
///     TLS to an unverified server ─▶ the join handshake inside it, with the invite's secret
///       ─▶ granted ─▶ an ordinary session inside the same TLS connection ─▶ control logs
///       ─▶ the TLS certificates of the command posts
///
/// The joiner cannot verify the TLS certificate: an invite has no room for it, and the first server
/// could be an attacker's. Therefore TLS only hides the traffic. Authentication happens inside it:
/// the invite's secret and the certificate chain to the root in the URL, and then control logs
/// signed up to that root. From then on the joiner pins the TLS certificates that they name.
extension Founding {
  /// How long the control log may take to arrive after the device has joined.
  private static let learningSeconds: Int64 = 30

  /// Enrols this device over an uplink, and waits until it knows the command posts' certificates.
  ///
  /// - Parameters:
  ///   - target: the inviting device, which serves uplinks at this address.
  ///   - proxy: the HTTP proxy; nil for none.
  ///   - progress: receives one line for each step that is waited for.
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
    progress("joining \(summary.operationName) as \(summary.role.name) at \(target)")
    let exchange = EnrolmentClient(enrolment: enrolment, timeoutMilliseconds: timeoutMilliseconds)
    let uplinks = UplinkSwitch(joiningAt: target)
    var logger = Logger(label: "muster.join")
    logger.logLevel = .warning
    let client = UplinkClient(proxy: proxy, uplinks: uplinks, logger: logger) {
      UInt64.random(in: .min ... .max)
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await client.run() }
      defer { group.cancelAll() }
      guard let (credentials, keys, _) = try await exchange.run(by: uplinks) else {
        throw NodeError.noAnswer(reason(of: uplinks, target, timeoutMilliseconds))
      }
      let opened = try settle(
        credentials, keys: keys, callsign: callsign, inviter: nil, home: home, lock: lock,
        turn: turn, passphrase: passphrase)
      let node = Node(opened, transport: nil, uplinks: uplinks, logger: logger)
      if await !learnPosts(node, uplinks) {
        progress(
          "joined, but the command post's certificate has not arrived: before you use --uplink, "
            + "synchronize with a device that has it, or merge a bundle of that device")
      }
      withExtendedLifetime(lock) {}
      return Membership(credentials, callsign: callsign)
    }
  }

  /// Synchronizes with the command post until its TLS certificate is known; returns false if it is
  /// not.
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
          // The certificate arrived in time.
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
