internal import Hummingbird
internal import MusterCrypto
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore
internal import Synchronization

/// A write that its client may send again, by the header `Idempotency-Key`
/// (draft-ietf-httpapi-idempotency-key-header).
///
///     request ─▶ key, caller, fingerprint ─▶ reply of each command, stored with what it writes
///                                        └─▶ answer of other routes, stored after it
final class IdempotentRequest: Sendable {
  static let header = "idempotency-key"
  static let longestKey = 255

  private struct State {
    var fingerprint: Bytes32
    var commands = 0
  }

  /// Under which its own answer is stored, and which no other running request may have.
  let name: Bytes32
  private let caller: Bytes16
  private let state: Mutex<State>

  /// - Parameters:
  ///   - text: the header: a key of 1 to 255 visible ASCII characters, in quotes or without.
  ///   - caller: the name of the login; nil for a client on this machine.
  ///   - target: what the request asks for, besides a file.
  init(_ text: String, by caller: String?, for target: [String]) throws(Problem) {
    let isQuoted = text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    let key = Array((isQuoted ? text.dropFirst().dropLast() : text[...]).utf8)
    guard (1...Self.longestKey).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw Problem(
        .badRequest, "an Idempotency-Key is 1 to \(Self.longestKey) visible ASCII characters",
        at: Self.header)
    }
    let owner = Self.hash(caller.map { [Array("login".utf8), Array($0.utf8)] } ?? [[]])
    self.caller = owner.prefix
    name = Self.hash([owner.bytes, key])
    state = Mutex(State(fingerprint: Self.hash(target.map { Array($0.utf8) })))
  }

  /// The key under which the answer of the whole request is stored.
  var answerKey: RequestKey {
    RequestKey(caller: caller, name: name, fingerprint: state.withLock(\.fingerprint))
  }

  /// Whether a command was performed, whose reply is stored.
  var hasPerformed: Bool { state.withLock { $0.commands > 0 } }

  /// Adds a file to what the request asks for. MUST be called before its command.
  func add(file: [UInt8]) {
    state.withLock {
      $0.fingerprint = Self.hash([$0.fingerprint.bytes, Blake2b.hash256(file).bytes])
    }
  }

  /// The key of the next command: a route may perform several.
  func nextCommand() -> RequestKey {
    state.withLock {
      $0.commands += 1
      return RequestKey(
        caller: caller, name: Self.hash([name.bytes, Array("\($0.commands)".utf8)]),
        fingerprint: $0.fingerprint)
    }
  }

  /// Of the parts with their lengths, so that no two lists of parts are equal in bytes.
  private static func hash(_ parts: [[UInt8]]) -> Bytes32 {
    Blake2b.hash256(parts.flatMap { part in Array("\(part.count) ".utf8) + part })
  }
}

/// Runs each idempotent request once at a time, and answers those that were answered before.
final class IdempotencyGate: Sendable {
  private let running = Mutex<Set<Bytes32>>([])
  /// The limit of a stored answer. Larger ones are not stored; no write has one.
  private static let answerBytes = 65_536

  func answer(
    to request: IdempotentRequest, from node: Node, _ work: () async throws -> Answer
  ) async throws -> Answer {
    guard running.withLock({ $0.insert(request.name).inserted }) else {
      throw Problem(
        .conflict, "a request with this Idempotency-Key is being processed: send it again soon")
    }
    defer { running.withLock { _ = $0.remove(request.name) } }
    if let stored = try await node.storedReply(to: request.answerKey) {
      return try Answer(stored: stored)
    }
    let answer = try await work()
    if !request.hasPerformed, (200..<300).contains(answer.status.code),
      let stored = answer.stored, stored.count <= Self.answerBytes
    {
      try await node.store(reply: stored, to: request.answerKey)
    }
    return answer
  }
}

extension Answer {
  /// The answer as bytes; nil for a stream.
  fileprivate var stored: [UInt8]? {
    guard let content else { return nil }
    return Array(
      JSON.object([
        "status": .count(status.code), "type": .known(headers[.contentType], JSON.string),
        "location": .known(headers[.location], JSON.string),
        "content": .string(String(buffer: content)),
      ]).text.utf8)
  }

  fileprivate init(stored: [UInt8]) throws {
    let json = try JSON.read(stored)
    guard case .number(let digits)? = json.members?["status"], let code = Int(digits) else {
      throw Problem.unexpected
    }
    self.init(.init(code: code))
    headers[.contentType] = json.members?["type"]?.word
    headers[.location] = json.members?["location"]?.word
    body = ResponseBody(byteBuffer: ByteBuffer(string: json.members?["content"]?.word ?? ""))
  }
}
