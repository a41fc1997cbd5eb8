internal import MusterModel

/// A request with its parts, for the operation that performs it.
struct Call: Sendable {
  /// The decoded names in the path.
  private let names: [String: String]
  let input: Input
  /// The parameters of the query, in their order.
  private let query: [(name: String, value: String)]
  let now: Timestamp

  /// - Parameters:
  ///   - names: as `Operation.find` returns them.
  ///   - query: as sent.
  init(
    names: [String: String], input: Input, query: String, now: Timestamp
  ) throws(ServiceFault) {
    self.names = names
    self.input = input
    self.now = now
    var pairs: [(String, String)] = []
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decoded(halves[0]),
        let value = PercentCoding.decoded(halves.count > 1 ? halves[1] : "")
      else {
        throw ServiceFault(.validation(.cannotParse), "the query is not percent-encoded UTF-8")
      }
      pairs.append((name, value))
    }
    self.query = pairs
  }

  /// The collection or tracker in the path.
  func name(_ field: String) throws(ServiceFault) -> String {
    try Names.resource(names["name"] ?? "", field)
  }

  /// The geofence or device in the path.
  func id(_ field: String) throws(ServiceFault) -> String {
    try Names.id(names["id"] ?? "", field)
  }

  /// A name in the path, by the name of its segment.
  func segment(_ name: String) -> String { names[name] ?? "" }

  /// The ARN in the path.
  func arn(_ field: String) throws(ServiceFault) -> ResourceARN {
    try ResourceARN(names["arn"] ?? "", field)
  }

  /// All values of a parameter of the query.
  func values(of parameter: String) -> [String] {
    query.filter { $0.name == parameter }.map(\.value)
  }
}
