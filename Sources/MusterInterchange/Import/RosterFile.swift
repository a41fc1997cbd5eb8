internal import Foundation
public import MusterModel

/// The people of a CSV file with names, teams, functions and phone numbers.
///
/// Columns are found by their headings in five languages, or without headings by their order: name,
/// team, role, phone number. What cannot be used is left out and named; the rest is read.
public struct RosterFile: Sendable {
  /// In the order of the file, each name once.
  public private(set) var entries: [RosterEntry] = []
  private var omissions = ImportOutcome()

  /// What was used, and what was left out, each with its line.
  public var outcome: ImportOutcome { omissions.using(entries.count) }

  /// The largest file that is read.
  public static let maximumBytes = 1 << 20

  /// Reads UTF-8, UTF-16 with a byte order mark, or else Windows-1252, as Excel writes it.
  public init(_ bytes: [UInt8]) {
    self.init(text: Self.text(of: bytes))
  }

  /// Reads the text of a file.
  public init(text: String) {
    let records = DelimitedText(text).records
    guard let first = records.first else { return }
    let headings = Columns(headings: first.fields)
    let columns = headings ?? .inOrder
    var lines: [String: Int] = [:]
    for record in headings == nil ? records[...] : records.dropFirst() {
      guard let entry = entry(of: record, columns) else { continue }
      if let line = lines[entry.name.lowercased()] {
        omissions.leaveOut("line \(record.line)", "\(entry.name) stands in line \(line) too")
      } else if entries.count == Limits.rosterPeople {
        omissions.leaveOut(
          "line \(record.line)", "a roster has at most \(Limits.rosterPeople) people")
      } else {
        lines[entry.name.lowercased()] = record.line
        entries.append(entry)
      }
    }
  }

  private static func text(of bytes: [UInt8]) -> String {
    do throws(MarkedText.Fault) {
      let bytes = try MarkedText.unmarked(bytes)
      if let text = String(validating: bytes, as: UTF8.self) { return text }
    } catch {}
    return String(data: Data(bytes), encoding: .windowsCP1252)
      ?? String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the person of a record; nil for one without a name.
  private mutating func entry(
    of record: DelimitedText.Record, _ columns: Columns
  ) -> RosterEntry? {
    let names = columns.names.map { columns.text(at: $0, of: record) }.filter { !$0.isEmpty }
    let name = TextRule.line.fitting(names.joined(separator: " "))
    guard TextRule.line.accepts(name) else {
      omissions.leaveOut("line \(record.line)", "it has no name")
      return nil
    }
    func line(_ column: Int?) -> String {
      TextRule.line.fitting(columns.text(at: column, of: record))
    }
    var entry = RosterEntry(
      name: name, team: line(columns.team), function: line(columns.function),
      phone: Self.phone(columns.text(at: columns.phone, of: record)))
    if !entry.phone.isEmpty, let fault = EmergencyContact.fault(phone: entry.phone) {
      omissions.leaveOut("line \(record.line)", "the phone number of \(name): \(fault)")
      entry.phone = ""
    }
    return entry
  }

  /// Returns a number with the marks that a phone number may have, without the apostrophe that
  /// keeps spreadsheets from reading + as a formula.
  private static func phone(_ text: String) -> String {
    let marks = text.map { "'./\u{A0}\u{202F}\u{2011}\u{2013}".contains($0) ? " " : String($0) }
    return marks.joined().split(separator: " ").joined(separator: " ")
  }
}

/// Which field of a record is what.
private struct Columns {
  /// Joined by blanks: first and family name may be two columns.
  let names: [Int]
  let team: Int?
  let function: Int?
  let phone: Int?

  static let inOrder = Columns(names: [0], team: 1, function: 2, phone: 3)

  private init(names: [Int], team: Int?, function: Int?, phone: Int?) {
    (self.names, self.team, self.function, self.phone) = (names, team, function, phone)
  }

  /// Returns nil if no heading is that of a name.
  init?(headings: [String]) {
    let words = headings.map(Self.word)
    func first(_ known: Set<String>) -> Int? { words.firstIndex(where: known.contains) }
    let given = first(Self.given)
    // With a column of first names, "nom" and "nombre" are the family name and the first name.
    let name = first(Self.whole)
    let family = first(Self.family)
    if let given {
      names = [given] + [family ?? name].compactMap(\.self)
    } else {
      names = [name, family].compactMap(\.self)
    }
    guard !names.isEmpty else { return nil }
    team = first(Self.team)
    function = first(Self.function)
    phone = first(Self.phone)
  }

  func text(at column: Int?, of record: DelimitedText.Record) -> String {
    guard let column, column < record.fields.count else { return "" }
    return record.fields[column]
  }

  /// A heading in small letters without marks, blanks and punctuation.
  private static func word(_ heading: String) -> String {
    heading.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
      .filter { $0.isLetter }
  }

  private static let whole: Set = [
    "name", "fullname", "callsign", "person", "rufname", "funkrufname", "nom", "nomcomplet",
    "indicatif", "nombre", "nombrecompleto", "nombreyapellidos", "indicativo", "nome",
    "nomecompleto",
  ]
  private static let given: Set = [
    "firstname", "givenname", "forename", "vorname", "prenom", "nombredepila", "primeironome",
    "nomeproprio",
  ]
  private static let family: Set = [
    "lastname", "surname", "familyname", "nachname", "familienname", "nomdefamille", "apellido",
    "apellidos", "apelido", "apelidos", "sobrenome",
  ]
  private static let team: Set = [
    "team", "group", "crew", "unit", "squad", "gruppe", "mannschaft", "trupp", "einheit", "equipe",
    "groupe", "unite", "equipo", "grupo", "unidad", "equipa", "unidade", "brigada",
  ]
  private static let function: Set = [
    "role", "function", "position", "job", "rolle", "funktion", "aufgabe", "fonction", "poste",
    "rol", "funcion", "puesto", "cargo", "funcao", "papel",
  ]
  private static let phone: Set = [
    "phone", "phonenumber", "telephone", "mobile", "mobilenumber", "mobilephone", "cell",
    "cellphone", "tel", "telefon", "telefonnummer", "handy", "handynummer", "mobil",
    "mobiltelefon", "mobilnummer", "rufnummer", "portable", "numerodetelephone", "numero",
    "telefono", "movil", "celular", "numerodetelefono", "telefone", "telemovel", "telm",
    "numerodetelefone", "contacto", "contact",
  ]
}

// MARK: Writing

extension RosterFile {
  /// Returns the roster as CSV with a heading, for spreadsheets.
  ///
  /// - Parameter withPhones: whether phone numbers are written: the file may be passed on.
  public static func csv(_ people: [RosterPerson], withPhones: Bool) -> String {
    let headings = ["name", "team", "role", "arrived"] + (withPhones ? ["phone"] : [])
    let rows = people.map { person in
      let entry = person.entry
      return [entry.name, entry.team, entry.function].map(OperationExport.plain)
        + [person.hasArrived ? "yes" : "no"]
        + (withPhones ? [OperationExport.plain(entry.phone)] : [])
    }
    return ([headings] + rows).map {
      $0.map(OperationExport.field).joined(separator: ",") + "\r\n"
    }.joined()
  }
}
