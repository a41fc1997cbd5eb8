internal import Logging
internal import MusterModel
internal import MusterReplica
internal import MusterTransport

/// Drives an enrolment over a UDP socket of its own until the inviting device answers or the time
/// is up.
struct JoinCall {
  let enrolment: Enrolment
  let timeoutMilliseconds: Int64
  let places: String

  /// - Returns: also where the inviting device answered from.
  func run() async throws -> (Credentials, Enrolment.EpochKeys, inviter: Endpoint) {
    let configuration = try UDPConfiguration(listen: "0.0.0.0:0", multicast: false)
    let logger = Logger(label: "muster.join")
    let transport = try await UDPTransport.bind(configuration: configuration, logger: logger)
    let caller = Caller(enrolment: enrolment, transport: transport)
    let result = await withTaskGroup(of: Caller.Verdict?.self) { group in
      group.addTask { await caller.listen() }
      group.addTask { await caller.call(until: timeoutMilliseconds) }
      let first = await group.next() ?? nil
      group.cancelAll()
      await transport.close()
      return first
    }
    switch result {
    case .joined(let credentials, let keys, let inviter): return (credentials, keys, inviter)
    case .refused(let reason): throw NodeError.refused(reason)
    case nil:
      throw NodeError.noAnswer(
        "no answer from \(places) in \(timeoutMilliseconds / 1000) s: is the inviting node "
          + "running, and on the same network?")
    }
  }

  /// The enrolment, shared by the task that listens and the one that calls.
  private actor Caller {
    enum Verdict: Sendable {
      case joined(Credentials, Enrolment.EpochKeys, by: Endpoint)
      case refused(String)
    }

    private var enrolment: Enrolment
    private let transport: UDPTransport

    init(enrolment: Enrolment, transport: UDPTransport) {
      self.enrolment = enrolment
      self.transport = transport
    }

    func listen() async -> Verdict? {
      for await batch in transport.datagrams {
        for datagram in batch {
          let steps = enrolment.receive(
            datagram.bytes, from: datagram.from, now: SystemClock.instant)
          if let verdict = act(on: steps, from: datagram.from) { return verdict }
        }
      }
      return nil
    }

    /// Sends what is due, again and again; nil when the time is up.
    func call(until timeoutMilliseconds: Int64) async -> Verdict? {
      let end = SystemClock.instant.advanced(byMilliseconds: timeoutMilliseconds)
      while SystemClock.instant < end, !Task.isCancelled {
        let steps = enrolment.passDeadline(now: SystemClock.instant)
        if let verdict = act(on: steps, from: nil) { return verdict }
        let next = min(enrolment.nextDeadline ?? end, end)
        let wait = max(1, next.milliseconds(since: SystemClock.instant))
        do {
          try await Task.sleep(for: .milliseconds(wait))
        } catch {
          return nil
        }
      }
      return nil
    }

    private func act(on steps: [Enrolment.Step], from source: Endpoint?) -> Verdict? {
      for step in steps {
        switch step {
        case .send(let bytes, let endpoint):
          transport.send([OutboundDatagram(bytes: bytes, to: .endpoint(endpoint, .unknown))])
        case .joined(let credentials, let keys):
          guard let source else { preconditionFailure("joined without an answer") }
          return .joined(credentials, keys, by: source)
        case .refused(let reason): return .refused(reason)
        }
      }
      return nil
    }
  }
}
