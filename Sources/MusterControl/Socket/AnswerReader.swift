internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Reads a node's HTTP response part by part. An unexpected response throws the matching
/// `ControlFault`.
struct AnswerReader {
  private var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

  init(_ inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>) {
    parts = inbound.makeAsyncIterator()
  }

  /// Reads the head. MUST be called first; throws unless the response has one of these types.
  ///
  /// - Parameter isAPI: whether a response may be empty, and a path may be missing.
  mutating func begin(as types: [String], isAPI: Bool = false) async throws {
    guard case .head(let head)? = try await part() else { throw ControlFault.closed }
    let found = head.headers.first(name: "content-type")
    if isAPI, head.status == .noContent { return }
    guard head.status == .ok else {
      let isProblem = found == "application/problem+json"
      let isOurs = isAPI || ![404, 405, 415].contains(head.status.code)
      throw try await fault(isProblem, isOurs: isOurs)
    }
    guard let found, types.contains(found) else { throw ControlFault.unexpected }
  }

  /// Returns the next part of the body; nil after the last.
  mutating func piece() async throws -> ByteBuffer? {
    switch try await part() {
    case .body(let bytes)?: return bytes
    case .end?: return nil
    case nil: throw ControlFault.closed
    case .head?: throw ControlFault.unexpected
    }
  }

  /// Returns the rest of the body.
  mutating func whole(upTo limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await piece() {
      guard bytes.count + piece.readableBytes <= limit else {
        throw ControlFault.tooLong(bytes: bytes.count + piece.readableBytes, limit: limit)
      }
      bytes.append(contentsOf: piece.readableBytesView)
    }
    return bytes
  }

  private mutating func part() async throws -> HTTPClientResponsePart? {
    do {
      return try await parts.next()
    } catch HTTPParserError.invalidEOFState {
      throw ControlFault.closed
    } catch is HTTPParserError {
      throw ControlFault.unexpected
    }
  }

  /// Returns the fault that the node reports. A node without the commands path has another version.
  private mutating func fault(_ isProblem: Bool, isOurs: Bool) async throws -> ControlFault {
    guard isProblem, isOurs else { return .unexpected }
    let document = try await whole(upTo: ControlLimits.problemBytes)
    do {
      return .declined(try JSONDecoder().decode(ProblemDetail.self, from: Data(document)).detail)
    } catch {
      return .unexpected
    }
  }
}

/// The human-readable part of a problem document (RFC 9457).
private struct ProblemDetail: Decodable {
  let detail: String
}
