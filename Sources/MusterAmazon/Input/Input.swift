internal import MusterInterchange
internal import MusterModel

/// The members of a JSON object in a request, read by the rules of the service's model.
///
/// Unknown members are ignored, as the service does it, and a null counts as missing.
struct Input {
  private let members: [String: JSON]
  /// Where the object is, for messages; empty for the body.
  private let place: String

  /// Parses the body of a request; an empty one has no members.
  init(body: [UInt8]) throws(ServiceFault) {
    var json = JSON.object([:])
    do {
      if !body.isEmpty { json = try JSON.read(body) }
    } catch {
      throw ServiceFault(.validation(.cannotParse), "the body is not JSON: \(error)")
    }
    // Also in members that are ignored.
    guard !json.hasNonNumber else {
      throw ServiceFault(
        .validation(.cannotParse), "the body is not JSON: NaN and Infinity are not numbers")
    }
    try self.init(json, at: "")
  }

  init(_ json: JSON, at place: String) throws(ServiceFault) {
    guard let members = json.members else {
      throw Self.wrongType(place.isEmpty ? "the body" : place, "an object", json)
    }
    self.members = members
    self.place = place
  }

  // MARK: Members

  private func name(_ member: String) -> String { place.isEmpty ? member : "\(place).\(member)" }

  /// Returns a member; nil if it is missing.
  private func given(_ member: String) -> JSON? {
    guard let value = members[member], value != .null else { return nil }
    return value
  }

  func has(_ member: String) -> Bool { given(member) != nil }

  /// Throws for a missing member.
  func required<Value>(_ member: String, _ value: Value?) throws(ServiceFault) -> Value {
    guard let value else {
      let name = name(member)
      throw ServiceFault(.validation(.missing), "\(name) is missing", field: name)
    }
    return value
  }

  private static func wrongType(_ name: String, _ type: String, _ found: JSON) -> ServiceFault {
    ServiceFault(
      .validation(.cannotParse), "\(name) must be \(type), not \(found.kind)", field: name)
  }

  func text(_ member: String, length: ClosedRange<Int>) throws(ServiceFault) -> String? {
    guard let value = given(member) else { return nil }
    return try Self.text(value, name(member), length: length)
  }

  static func text(
    _ value: JSON, _ name: String, length: ClosedRange<Int>
  ) throws(ServiceFault) -> String {
    guard let text = value.word else { throw wrongType(name, "a text", value) }
    guard length.contains(text.unicodeScalars.count) else {
      throw .invalid(
        name, "must have \(length.lowerBound) to \(length.upperBound) characters")
    }
    return text
  }

  func flag(_ member: String) throws(ServiceFault) -> Bool? {
    switch given(member) {
    case nil: return nil
    case .bool(let flag)?: return flag
    case let value?: throw Self.wrongType(name(member), "true or false", value)
    }
  }

  func number(
    _ member: String, in range: ClosedRange<Double> = 0...Double.greatestFiniteMagnitude
  ) throws(ServiceFault) -> Double? {
    guard let value = given(member) else { return nil }
    let number = try Self.number(value, name(member))
    guard range.contains(number) else {
      throw .invalid(
        name(member),
        range.upperBound == .greatestFiniteMagnitude
          ? "must not be negative" : "must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  static func number(_ value: JSON, _ name: String) throws(ServiceFault) -> Double {
    guard case .number(let digits) = value, digits.utf8.count <= 64, let number = Double(digits),
      number.isFinite
    else { throw wrongType(name, "a number", value) }
    return number
  }

  func integer(_ member: String, in range: ClosedRange<Int>) throws(ServiceFault) -> Int? {
    guard let number = try number(member, in: -Double(1 << 53)...Double(1 << 53)) else {
      return nil
    }
    guard let integer = Int(exactly: number), range.contains(integer) else {
      throw .invalid(
        name(member), "must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  func choice(_ member: String, _ choices: [String]) throws(ServiceFault) -> String? {
    guard let value = given(member) else { return nil }
    guard let text = value.word else { throw Self.wrongType(name(member), "a text", value) }
    guard choices.contains(text) else {
      throw .invalid(name(member), "must be one of \(choices.joined(separator: ", "))")
    }
    return text
  }

  /// Parses ISO 8601 with an offset or `Z`.
  func time(_ member: String) throws(ServiceFault) -> Timestamp? {
    guard let value = given(member) else { return nil }
    guard let text = value.word, let time = Timestamp(rfc3339: text),
      Timestamp.writable.contains(time)
    else {
      let name = name(member)
      throw ServiceFault(
        .validation(.cannotParse), "\(name) must be a time in ISO 8601", field: name)
    }
    return time
  }

  func list(_ member: String, count: ClosedRange<Int>) throws(ServiceFault) -> [JSON]? {
    guard let value = given(member) else { return nil }
    guard let elements = value.elements else {
      throw Self.wrongType(name(member), "a list", value)
    }
    guard count.contains(elements.count) else {
      throw .invalid(
        name(member), "must have \(count.lowerBound) to \(count.upperBound) elements")
    }
    return elements
  }

  /// Returns the elements of a list of objects.
  func objects(_ member: String, count: ClosedRange<Int>) throws(ServiceFault) -> [Input]? {
    guard let elements = try list(member, count: count) else { return nil }
    var inputs: [Input] = []
    for (index, element) in elements.enumerated() {
      inputs.append(try Input(element, at: "\(name(member))[\(index)]"))
    }
    return inputs
  }

  func object(_ member: String) throws(ServiceFault) -> Input? {
    guard let value = given(member) else { return nil }
    return try Input(value, at: name(member))
  }

  /// Returns a map of texts.
  func map(
    _ member: String, most: Int, keys: ClosedRange<Int>, values: ClosedRange<Int>
  ) throws(ServiceFault) -> [String: String]? {
    guard let value = given(member) else { return nil }
    let name = name(member)
    guard let members = value.members else { throw Self.wrongType(name, "an object", value) }
    guard members.count <= most else { throw .invalid(name, "must have at most \(most) members") }
    var map: [String: String] = [:]
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      guard keys.contains(key.unicodeScalars.count) else {
        throw .invalid(
          name, "must have keys of \(keys.lowerBound) to \(keys.upperBound) characters")
      }
      map[key] = try Self.text(value, "\(name).\(key)", length: values)
    }
    return map
  }

  // MARK: Values of the service

  /// Returns an id of a geofence or a device.
  func id(_ member: String) throws(ServiceFault) -> String {
    let text = try required(member, text(member, length: 1...Names.longest))
    return try Names.id(text, name(member))
  }

  /// Returns a list of ids of geofences or devices.
  func ids(_ member: String, count: ClosedRange<Int>) throws(ServiceFault) -> [String] {
    var ids: [String] = []
    for value in try required(member, list(member, count: count)) {
      let text = try Self.text(value, name(member), length: 1...Names.longest)
      ids.append(try Names.id(text, name(member)))
    }
    return ids
  }

  /// Returns longitude and latitude, which may be out of range.
  func position(_ member: String) throws(ServiceFault) -> (longitude: Double, latitude: Double) {
    let elements = try required(member, list(member, count: 2...2))
    return (
      try Self.number(elements[0], "\(name(member))[0]"),
      try Self.number(elements[1], "\(name(member))[1]")
    )
  }

  /// The name of the object in messages, with a member.
  func path(of member: String) -> String { name(member) }
}

extension JSON {
  /// Whether the value has a number that JSON does not allow, such as `NaN`, at any depth.
  fileprivate var hasNonNumber: Bool {
    switch self {
    case .notNumber: true
    case .array(let elements): elements.contains(where: \.hasNonNumber)
    case .object(let members): members.values.contains(where: \.hasNonNumber)
    case .null, .bool, .number, .string: false
    }
  }
}
