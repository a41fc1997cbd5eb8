internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The people that command expects.
enum RosterRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/roster",
      "List the people that command expects by name, with their phone numbers",
      rights: .commandRead("phone numbers of the roster"),
      result: .json(
        .open([.must("items", .list(.named("RosterPerson"), most: Limits.rosterPeople))]))
    ) { api, _ in
      guard case .roster(let people) = try await api.ask(.roster) else { throw Problem.unexpected }
      return .ok(
        .object(["items": .array(people.prefix(Limits.rosterPeople).map(\.json))]))
    },
    Route(
      .post, "/api/v1/roster",
      "Add the people of a CSV file to the roster, as command: the body is the file; every device "
        + "stores their numbers",
      rights: .command, takesFile: true,
      result: .json(
        .open([
          .must("added", .count), .must("changed", .count), .must("import", .named("Import")),
        ]))
    ) { api, call in
      let file = RosterFile(try await call.file(atMost: RosterFile.maximumBytes, "split it"))
      guard !file.entries.isEmpty else {
        throw Problem(
          .unprocessableContent,
          "the file names no one: \(file.outcome.omissionText ?? "it is empty")")
      }
      guard case .rosterWritten(let outcome) = try await api.ask(.writeRoster(.add(file.entries)))
      else { throw Problem.unexpected }
      return .ok(
        .object([
          "added": .count(outcome.added), "changed": .count(outcome.changed),
          "import": file.outcome.json,
        ]))
    },
    Route(
      .put, "/api/v1/roster/{id}/arrival",
      "State that a person of the roster arrived, as command: as `person`, or without a device",
      rights: .command, body: .object([.may("person", .reference)], least: 0), result: .done
    ) { api, call in
      var person: UserID?
      if let named = call.text("person") {
        guard let id = UserID(hex: named) else {
          throw Problem(
            .unprocessableContent, "person is the whole id of one who takes part", at: "/person")
        }
        person = id
      }
      return try await api.done(.writeRoster(.arrive(call.id, as: person)))
    },
    Route(
      .delete, "/api/v1/roster/{id}/arrival", "Withdraw that a person arrived, as command",
      rights: .command, result: .done
    ) { api, call in try await api.done(.writeRoster(.expect(call.id))) },
    Route(
      .delete, "/api/v1/roster/{id}",
      "Remove a person and their phone number from the roster, as command", rights: .command,
      result: .done
    ) { api, call in try await api.done(.writeRoster(.remove(call.id))) },
  ]
}
