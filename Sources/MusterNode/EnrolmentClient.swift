internal import Logging
internal import MusterModel
internal import MusterReplica
internal import MusterTransport

/// Performs an enrolment over its own UDP socket, or over an uplink, until the inviting device
/// answers or the time is over.
struct EnrolmentClient {
  let enrolment: Enrolment
  let timeoutMilliseconds: Int64

  /// The result of an enrolment.
  typealias Answer = (Credentials, Enrolment.EpochKeys, inviter: Endpoint)

  /// - Returns: the result with the address of the inviting device; nil if no device answered.
  func run() async throws -> Answer? {
    let configuration = try UDPConfiguration(listen: "0.0.0.0:0", multicast: false)
    let logger = Logger(label: "muster.join")
    let transport = try await UDPTransport.bind(configuration: configuration, logger: logger)
    let caller = Caller(enrolment: enrolment) { bytes, endpoint in
      transport.send([OutboundDatagram(bytes: bytes, to: .endpoint(endpoint, .unknown))])
    }
    return try await answer(to: caller) {
      for await batch in transport.datagrams {
        if let verdict = await caller.take(batch) { return verdict }
      }
      return nil
    } finally: {
      await transport.close()
    }
  }

  /// Performs the enrolment over an uplink, whose further events the caller reads once this
  /// returns.
  func run(by uplinks: UplinkSwitch) async throws -> Answer? {
    let caller = Caller(enrolment: enrolment) { uplinks.send($0, to: $1) }
    return try await answer(to: caller) {
      for await event in uplinks.events {
        guard case .datagrams(let batch) = event else { continue }
        if let verdict = await caller.take(batch) { return verdict }
      }
      return nil
    } finally: {
    }
  }

  private func answer(
    to caller: Caller, listening: @escaping @Sendable () async -> Caller.Verdict?,
    finally end: () async -> Void
  ) async throws -> Answer? {
    let result = await withTaskGroup(of: Caller.Verdict?.self) { group in
      group.addTask { await listening() }
      group.addTask { await caller.call(until: timeoutMilliseconds) }
      let first = await group.next() ?? nil
      group.cancelAll()
      await end()
      return first
    }
    switch result {
    case .joined(let credentials, let keys, let inviter): return (credentials, keys, inviter)
    case .refused(let reason): throw NodeError.refused(reason)
    case nil: return nil
    }
  }

  /// The enrolment, shared by the receiving and the sending task.
  private actor Caller {
    enum Verdict: Sendable {
      case joined(Credentials, Enrolment.EpochKeys, by: Endpoint)
      case refused(String)
    }

    private var enrolment: Enrolment
    private let send: @Sendable ([UInt8], Endpoint) -> Void

    init(enrolment: Enrolment, send: @escaping @Sendable ([UInt8], Endpoint) -> Void) {
      self.enrolment = enrolment
      self.send = send
    }

    func take(_ batch: [ReceivedDatagram]) -> Verdict? {
      for datagram in batch {
        let steps = enrolment.receive(
          datagram.bytes, from: datagram.from, now: SystemClock.instant)
        if let verdict = act(on: steps, from: datagram.from) { return verdict }
      }
      return nil
    }

    /// Sends and retransmits until a result or the timeout; nil on timeout.
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
        case .send(let bytes, let endpoint): send(bytes, endpoint)
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
