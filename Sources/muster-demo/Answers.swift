/// The output of `muster … --json`, as far as the story uses it.
struct StatusAnswer: Decodable, Sendable {
  struct Peer: Decodable, Sendable {
    let callsign: String
    let address: String
    let lastHeardSeconds: Int
  }

  let stateHash: String
  let frames: Int
  let peers: [Peer]
}

struct ReportAnswer: Decodable, Sendable {
  struct Comment: Decodable, Hashable, Sendable {
    let callsign: String
    let text: String
  }

  struct Conflict: Decodable, Hashable, Sendable {
    let field: String
    /// The shown value is first.
    let values: [ConflictingValue]
  }

  struct ConflictingValue: Decodable, Hashable, Sendable {
    let value: String
    let callsign: String
  }

  let id: String
  let title: String
  let description: String
  let severity: Int?
  let toEvacuate: Bool
  let comments: [Comment]
  let conflicts: [Conflict]
}

struct UserAnswer: Decodable, Sendable {
  let callsign: String
  let safety: String
  let reason: String
}

struct FenceAnswer: Decodable, Sendable {
  let name: String
  let active: Bool
}

struct EventAnswer: Decodable, Sendable {
  let type: String
  let fenceName: String
  let callsign: String
  let baseline: Bool
}

struct VerifyAnswer: Decodable, Sendable {
  let ok: Bool
  let frames: Int
  let stateHash: String
  let problems: [String]
}

struct IDAnswer: Decodable, Sendable {
  let id: String
}

struct InviteAnswer: Decodable, Sendable {
  let url: String
}
