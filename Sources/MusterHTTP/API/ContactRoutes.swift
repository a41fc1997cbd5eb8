internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The emergency contacts of the operation.
enum ContactRoutes {
  static let routes: [Route] = [
    Route(
      .get, "/api/v1/contacts", "List the emergency contacts by name", rights: .read,
      result: .json(.open([.must("items", .list(.named("Contact"), most: Limits.contacts))]))
    ) { api, _ in
      guard case .contacts(let contacts) = try await api.ask(.contacts) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(contacts.map(\.json))]))
    },
    Route(
      .post, "/api/v1/contacts", "Add an emergency contact, as command", rights: .command,
      body: .object(
        [
          .must("name", .line), .must("phone", .line), .may("note", .paragraphs),
          .may("lat", .latitude, with: "lon"), .may("lon", .longitude, with: "lat"),
        ], least: 2),
      result: .created
    ) { api, call in
      let draft = ContactDraft(
        name: call.text("name") ?? "", phone: call.text("phone") ?? "",
        note: call.text("note") ?? "", position: call.place)
      guard case .contactWritten(let id) = try await api.ask(.writeContact(.add(draft))) else {
        throw Problem.unexpected
      }
      return .created("\(id)", below: "/api/v1/contacts")
    },
    Route(
      .patch, "/api/v1/contacts/{id}",
      "Change an emergency contact, as command; omitted members stay unchanged", rights: .command,
      body: .object(
        [
          .may("name", .line), .may("phone", .line), .may("note", .paragraphs),
          .may("lat", .nullable(.latitude), with: "lon"),
          .may("lon", .nullable(.longitude), with: "lat"),
        ], least: 1),
      result: .done
    ) { api, call in
      let removesPosition = call["lat"] == .null && call["lon"] == .null
      guard removesPosition || call["lat"] == nil || call.place != nil else {
        throw Problem(
          .unprocessableContent, "send lat and lon as numbers, or null for both", at: "/lat")
      }
      let changes = ContactChanges(
        name: call.text("name"), phone: call.text("phone"), note: call.text("note"),
        position: call.place, removesPosition: removesPosition)
      return try await api.done(.writeContact(.edit(call.id, changes)))
    },
    Route(
      .delete, "/api/v1/contacts/{id}", "Remove an emergency contact, as command", rights: .command,
      result: .done
    ) { api, call in try await api.done(.writeContact(.remove(call.id))) },
  ]
}
