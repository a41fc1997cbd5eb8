internal import MusterModel

/// What a user wants to write into rows, such as an edit of a report. `ReportRequests` and its like
/// make requests; `Replica.write` decides about one and performs it.
///
/// - Deciding changes nothing but what follows from what is held: a rejected request has no effect.
/// - A request that changes nothing writes nothing.
public struct WriteRequest<Answer> {
  /// Decides about the request. Throws `Refusal`.
  let draft: (inout RequestContext) throws -> Draft<Answer>

  init(_ draft: @escaping (inout RequestContext) throws -> Draft<Answer>) { self.draft = draft }
}

/// The writes of one request, and its answer.
struct Draft<Answer> {
  let answer: Answer
  /// By row: each is applied as a whole, the first one first.
  let rows: [[Write]]
  let lane: Lane
  /// Parts of a photo that the writes name.
  var units: [BlobUnit] = []
  /// Local settings that are stored with the writes.
  var local: [String: [UInt8]] = [:]
  /// The person or login that this device writes for; nil for its own user.
  var onBehalfOf: Principal?
}

extension Draft where Answer == Void {
  init(_ composer: Composer, lane: Lane) { self.init(rows: [composer.writes], lane: lane) }

  init(rows: [[Write]], lane: Lane, onBehalfOf: Principal? = nil) {
    self.init(answer: (), rows: rows, lane: lane, onBehalfOf: onBehalfOf)
  }

  static var nothing: Draft { Draft(rows: [], lane: .state) }
}

extension Draft where Answer == RowID {
  /// A draft of a new row, with its id as the answer.
  init(creating composer: Composer, lane: Lane) {
    self.init(answer: composer.row, rows: [composer.writes], lane: lane)
  }
}
