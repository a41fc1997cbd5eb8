import Foundation

/// A valid message of a phone's app with up to five odd optional parts: what is needed is in it,
/// and beside that whatever apps, their users and their networks make of the rest.
package struct PhoneMessage: Sendable {
  /// The forms in which apps send the same.
  package enum App: String, CaseIterable, Sendable {
    case osmAndURL, osmAndForm, traccarNested, traccarLocations, traccarFlat, ownTracks
  }

  /// What a message must keep, whatever stands beside it.
  package struct Core: Hashable, Sendable {
    package let name: String
    /// Seconds since 1970.
    package let seconds: Int64
    /// Degrees in 1e-7.
    package let latitudeE7: Int64
    package let longitudeE7: Int64

    package init(name: String, seconds: Int64, latitudeE7: Int64, longitudeE7: Int64) {
      self.name = name
      self.seconds = seconds
      self.latitudeE7 = latitudeE7
      self.longitudeE7 = longitudeE7
    }
  }

  package let app: App
  /// Of the URL, with its query.
  package let path: String
  /// Nil for a GET.
  package let body: [UInt8]?

  /// The query of the URL; nil without one.
  package var query: Substring? {
    path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
  }

  /// The request as text, for the report of a fault.
  package var shown: String { path + " " + String(decoding: body ?? [], as: UTF8.self) }

  // MARK: Odd parts

  /// JSON values of every kind, and texts that look like numbers and are none. All are what some
  /// writer of JSON writes; the last are no JSON of RFC 8259.
  private static let oddJSON: [[UInt8]] =
    [
      "null", "true", "[]", "{}", "\"\"", "\" \"", "\"?\"", "0", "-0", "-1", "1e308", "-1e308",
      "[[1],{\"a\":null}]", "{\"lat\":1,\"alarm\":{}}", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
      "99999999999999999999", "0.1e-400", "\"12,5\"", "\"0x1f\"", "\"NaN\"", "\"{\"", "\"\\\"]}\"",
      "\"a\\/b\"", "[\"walking\",7]", "1e999", "NaN", "-Infinity", "\"\\ud83d\"", "007",
      "\"\\ude00x\"", "\"\\ud83d\\u0041\"", "\"\\x41\"", "\"it\\'s\"", "\"\\u00g1\"",
    ].map { Array($0.utf8) } + [
      [0x22, 0xFF, 0xC3, 0x28, 0x22], [0x22, 0x4A, 0x6F, 0x73, 0xE9, 0x22],
      [0x22, 0x09, 0x01, 0x22],
    ]
  private static let oddText: [[UInt8]] =
    [
      "", "?", "%", "%zz", "100%", "%FF", "%C3%28", "NaN", "-1e308", "1e999", "0x1f", "true", "a=b",
      "+", "%00", "é", "%F0%9F%98%80", "[1,{}]", "null", "-1", "12,5", "%26lat%3D1", "%%%", "a;b",
    ].map { Array($0.utf8) }
  /// Optional members: known ones whose values do not matter to a call, and unknown ones.
  private static let names = [
    "batt", "battery", "vel", "alt", "cog", "vac", "conn", "motionactivities", "inregions", "BSSID",
    "is_moving", "motion", "odometer", "event", "activity", "charge", "bs", "m", "p", "created_at",
    "speed", "bearing", "altitude", "heading", "driverUniqueId", "rpm", "x", "Battery", "uuid",
    "provider", "params", "attributes", "heartbeat", "mock", "tag", "poi", "cell", "wifi", "",
    "geofence", "age", "ttff", "image", "SSID", "inrids", "rid", "text", "message", "é",
    "__proto__",
  ]
  /// Members that are read, with values that none of them can have.
  private static let unreadable: [(json: String, text: String)] = [
    ("\"accuracy\":\"?\"", "accuracy=%3F"), ("\"acc\":[]", "acc="), ("\"accuracy\":null", "acc=x"),
    ("\"accuracy\":{}", "accuracy=NaN"), ("\"valid\":\"?\"", "valid=%3F"),
    ("\"valid\":[]", "valid=true"), ("\"hdop\":\"?\"", "hdop=none"),
    ("\"hdop\":-1", "hdop=-1"), ("\"fixTime\":\"soon\"", "fixTime=soon"),
    ("\"deviceTime\":{}", "time=%E9"), ("\"id\":[]", "tid="), ("\"topic\":7", "topic=%"),
    ("\"Lat\":null", "Lat="), ("\"latitude\":\"north\"", "latitude=north"), ("\"lng\":{}", "lng=?"),
    ("\"t\":\"u\"", "t=u"), ("\"Alarm\":\"\"", "alarm="), ("\"Alarm\":null", "Alarm=none"),
    ("\"aLarm\":\"lowBattery\"", "alarm=lowBattery"), ("\"aLarm\":[[],7]", "ALARM=%"),
  ]

  // MARK: Drawing

  /// Draws a message with a call for help.
  package static func drawn(
    _ app: App, _ core: Core, _ random: inout SplitMix64
  ) -> PhoneMessage {
    let odd = (0..<random.number(below: 6)).map { _ in part(app, &random) }
    let sos = random.choice(of: ["sos", "SOS", "fallDown", " sos ", "panic", "powerCut,sos"])
    switch app {
    case .osmAndURL, .osmAndForm:
      let needed = [
        "id=\(core.name)", "lat=\(degrees(core.latitudeE7, app, &random))",
        "lon=\(degrees(core.longitudeE7, app, &random))", "timestamp=\(time(core, app, &random))",
        "alarm=\(sos.replacing(" ", with: "%20"))",
      ]
      var form = mixed(needed, odd, separator: "&", &random)
      if random.chance(oneIn: 8) { form += Array("&".utf8) }
      return app == .osmAndURL
        ? PhoneMessage(app: app, path: "/?" + String(decoding: form, as: UTF8.self), body: nil)
        : PhoneMessage(app: app, path: "/", body: form)
    default:
      let json = json(app, core, sos, odd, &random)
      let marked = random.chance(oneIn: 8) ? [0xEF, 0xBB, 0xBF] + json : json
      return PhoneMessage(app: app, path: app == .ownTracks ? "/owntracks" : "/", body: marked)
    }
  }

  private static func json(
    _ app: App, _ core: Core, _ sos: String, _ odd: [[UInt8]], _ random: inout SplitMix64
  ) -> [UInt8] {
    let latitude = degrees(core.latitudeE7, app, &random)
    let longitude = degrees(core.longitudeE7, app, &random)
    let stamp = time(core, app, &random)
    let alarm = random.choice(of: [
      "\"alarm\":\"\(sos)\"", "\"alarm\":[\"\(sos)\"]", "\"ALARM\":\"\(sos)\"",
    ])
    switch app {
    case .traccarFlat:
      let needed = [
        "\"device_id\":\"\(core.name)\"", "\"timestamp\":\(stamp)", "\"lat\":\(latitude)",
        "\"lon\":\(longitude)", alarm,
      ]
      let object = object(needed, odd, &random)
      return random.chance(oneIn: 2) ? object : list(object, &random)
    case .ownTracks:
      let needed = [
        "\"_type\":\"location\"", "\"tid\":\"\(core.name)\"", "\"tst\":\(stamp)",
        "\"lat\":\(latitude)", "\"lon\":\(longitude)", alarm,
      ]
      return object(needed, odd, &random)
    default:
      let coordinates = object(
        ["\"latitude\":\(latitude)", "\"longitude\":\(longitude)"], [], &random)
      let extras =
        random.chance(oneIn: 2) ? alarm : "\"extras\":{\(alarm)}"
      let place = String(decoding: coordinates, as: UTF8.self)
      let location = object(
        ["\"timestamp\":\(stamp)", "\"coords\":\(place)", extras], odd, &random)
      let value = app == .traccarLocations ? list(location, &random) : location
      let name = Array("\"device_id\":\"\(core.name)\"".utf8)
      let member = Array("\"location\":".utf8)
      let parts = random.chance(oneIn: 2) ? [name, member + value] : [member + value, name]
      return Array("{".utf8) + parts[0] + Array(",".utf8) + parts[1] + Array("}".utf8)
    }
  }

  private static func part(_ app: App, _ random: inout SplitMix64) -> [UInt8] {
    let isForm = app == .osmAndURL || app == .osmAndForm
    if random.chance(oneIn: 4) {
      let known = random.choice(of: unreadable)
      return Array((isForm ? known.text : known.json).utf8)
    }
    let name = Array(random.choice(of: names).utf8)
    guard isForm else {
      return [0x22] + name + [0x22, 0x3A] + random.choice(of: oddJSON)
    }
    // A URL has ASCII only.
    let value = random.choice(of: oddText).flatMap { byte in
      byte < 0x80 || app == .osmAndForm ? [byte] : Array("%\(String(byte, radix: 16))".utf8)
    }
    let isBare = value.isEmpty && random.chance(oneIn: 2)
    let plain = app == .osmAndForm ? name : name.filter { $0 < 0x80 }
    return plain + (isBare ? [] : [0x3D]) + value
  }

  private static func object(
    _ needed: [String], _ odd: [[UInt8]], _ random: inout SplitMix64
  ) -> [UInt8] {
    [0x7B] + mixed(needed, odd, separator: random.choice(of: [",", ", ", ",\n"]), &random) + [0x7D]
  }

  /// The same message in a list, with elements that are no messages.
  private static func list(_ element: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    let (before, after) = random.choice(of: [
      ("[", "]"), ("[null,", "]"), ("[", ",7]"), ("[[],", ",\"x\"]"), ("[ ", "\n]"),
    ])
    return Array(before.utf8) + element + Array(after.utf8)
  }

  /// The needed and the odd parts in any order.
  private static func mixed(
    _ needed: [String], _ odd: [[UInt8]], separator: String, _ random: inout SplitMix64
  ) -> [UInt8] {
    let parts = (needed.map { Array($0.utf8) } + odd).shuffled(using: &random)
    return Array(parts.joined(separator: Array(separator.utf8)))
  }

  /// Degrees as a number, as a text, with more digits, with blanks, or with a comma as its point.
  private static func degrees(_ e7: Int64, _ app: App, _ random: inout SplitMix64) -> String {
    let digits = String("0000000\(abs(e7) % 10_000_000)".suffix(7))
    let plain = "\(e7 < 0 ? "-" : "")\(abs(e7) / 10_000_000).\(digits)"
    switch app {
    case .osmAndURL, .osmAndForm:
      return random.choice(of: [
        plain, plain, plain + "00", "+\(plain)", plain.replacing(".", with: ","),
        plain.replacing(".", with: "%2C"), "%20\(plain)",
      ])
    default:
      return random.choice(of: [
        plain, plain, plain + "00", "\"\(plain)\"", "\" \(plain)\"",
        "\"\(plain.replacing(".", with: ","))\"",
      ])
    }
  }

  /// The time in a form that some app writes.
  private static func time(
    _ core: Core, _ app: App, _ random: inout SplitMix64
  ) -> String {
    func iso(_ offset: Int) -> String {
      let date = Date(timeIntervalSince1970: Double(core.seconds) + Double(offset))
      return String(date.ISO8601Format().dropLast())
    }
    let words = [
      "\(iso(0))Z", "\(iso(0)).000Z", "\(iso(0))+00:00", "\(iso(7200))+02:00", "\(iso(7200))+0200",
      "\(iso(-3600))-01", "\(iso(0))z", iso(0).replacing("T", with: " ") + "Z",
    ]
    let numbers = [
      "\(core.seconds)", "\(core.seconds)000", "\(core.seconds).0", "\(core.seconds)000000",
    ]
    switch app {
    case .osmAndURL, .osmAndForm:
      let form = random.choice(of: numbers + words)
      // A plus sign, as some apps leave it, is a blank in a form.
      let isEscaped = random.chance(oneIn: 2)
      return form.replacing("+", with: isEscaped ? "%2B" : "+").replacing(" ", with: "%20")
    default:
      return random.choice(
        of: numbers + numbers.map { "\"\($0)\"" } + words.map { "\"\($0)\"" })
    }
  }
}
