import Foundation
import MusterInterchange
import MusterModel
import Testing

/// Lists of people as spreadsheets of five languages write them.
@Suite("Roster files")
struct RosterFileTests {
  private static let rui = RosterEntry(
    name: "Rui Costa", team: "North", function: "paramedic", phone: "+351 912 345 678")

  @Test(arguments: [
    "Name,Team,Role,Phone\nRui Costa,North,paramedic,+351 912 345 678\n",
    "\u{FEFF}Telefon;Funktion;Vorname;Nachname;Gruppe\r\n"
      + "+351 912 345 678;paramedic;Rui;Costa;North\r\n\r\n",
    "Prénom;Nom;Équipe;Fonction;Téléphone\rRui;Costa;North;paramedic;+351.912.345.678\r",
    "sep=;\nNombre;Apellidos;Equipo;Función;Móvil\nRui;Costa;North;paramedic;'+351 912/345-678",
    "Nome\tEquipa\tFunção\tTelemóvel\nRui Costa\tNorth\tparamedic\t+351 912 345 678",
    "Rui Costa, North, paramedic, +351 912 345 678",
    "name,note,team,phone,role\n\"Rui Costa\",\"a \"\"b\"\", c\nd\",North,+351 912 345 678,paramedic",
  ])
  func `columns are found by headings or by order`(text: String) {
    let file = RosterFile(Array(text.utf8))
    #expect(file.entries.map(\.name) == ["Rui Costa"])
    #expect(file.entries.first?.team == "North")
    #expect(file.entries.first?.function == "paramedic")
    #expect(file.entries.first?.phone.filter(\.isNumber) == "351912345678")
    #expect(file.outcome.leftOut == 0 && file.outcome.used == 1)
  }

  @Test func `what cannot be used is left out and named with its line`() {
    let file = RosterFile(
      text: """
        name;team;role;phone
        Rui;North;;call me
        ;South;;112

        rui;South;;113
        Ada;;command;3,51913E+11
        Ben
        """)
    #expect(file.entries.map(\.name) == ["Rui", "Ada", "Ben"])
    #expect(file.entries.map(\.phone) == ["", "", ""])
    #expect(
      file.outcome.omissions.map(\.place) == ["line 2", "line 3", "line 5", "line 6"])
    #expect(RosterFile([]).entries.isEmpty && RosterFile(Array("\n;;\n".utf8)).entries.isEmpty)
  }

  @Test func `Windows-1252 and UTF-16 are read`() throws {
    let text = "Name;Équipe\nJoão Nuñez;Süd\n"
    let old = try #require(text.data(using: .windowsCP1252))
    let wide: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for bytes in [Array(old), wide] {
      let file = RosterFile(bytes)
      #expect(file.entries == [RosterEntry(name: "João Nuñez", team: "Süd")])
    }
  }

  @Test func `an export has phone numbers only on request, and is read again`() {
    let person = RosterPerson(id: UserID(raw: .zero), entry: Self.rui, hasArrived: false)
    let without = RosterFile.csv([person], withPhones: false)
    #expect(!without.contains("351") && without.contains("Rui Costa,North,paramedic,no"))
    let with = RosterFile(text: RosterFile.csv([person], withPhones: true))
    #expect(with.entries == [Self.rui] && with.outcome.leftOut == 0)
  }

  @Test func `quotes without an end take no more time than others`() {
    // A file as large as may be: reading each quote in the time of all before would take hours.
    let quotes = String(repeating: "\"", count: RosterFile.maximumBytes - 7)
    let file = RosterFile(text: "name\nR" + quotes + "\n")
    #expect(file.entries.count + file.outcome.leftOut == 1)
    // One that is not closed takes nothing from the lines after it.
    let open = RosterFile(text: "name,team\nAda,North\n\"Rosa,South\nBen,West\n")
    #expect(open.entries.map(\.team) == ["North", "South", "West"])
    #expect(RosterFile(text: "\"Rosa \"\"R\"\"\" ; South").entries.first?.name == "Rosa \"R\"")
  }
}
