internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Administration of an operation: invites, revocations, key rotation, quarantine, and sampling
/// settings. Every change requires a device of role command, which the node checks.
enum AdministrationRoutes {
  static let routes: [Route] = membership + quarantined + watching

  // MARK: Membership

  /// One day, as on the command line.
  private static let usualSeconds: Int64 = 86_400

  private static let membership: [Route] = [
    Route(
      .post, "/api/v1/invitations",
      "Create an invite URL; its holder can join until it expires or is used up", rights: .command,
      body: .object(
        [
          .may("role", .choice(Role.allCases.map(\.name))), .may("user", .text),
          .may("uses", .integer(1...1000)), .may("validSeconds", .integer(1...365 * 86_400)),
        ], least: 0),
      result: .json(.named("Invitation"))
    ) { api, call in
      let role = call.text("role").flatMap(Role.init(name:)) ?? .member
      var (uses, seconds) = (
        call.integer("uses") ?? 1, call.integer("validSeconds") ?? usualSeconds
      )
      // A stolen login must not leave a door for many commanders.
      if call.person != nil, role == .command { (uses, seconds) = (1, min(seconds, usualSeconds)) }
      let command = Command.invite(
        role: role, user: call.text("user"), uses: Int(uses), validSeconds: seconds)
      guard
        case .invitation(let bytes, let id, let role, let expiresAt) = try await api.ask(command)
      else { throw Problem.unexpected }
      do {
        try await api.record(.invite, "\(id)", by: call, note: "role \(role.name)")
      } catch {
        _ = try await api.ask(.withdrawInvite("\(id)"))
        throw error
      }
      return .ok(
        InvitationURL(bytes.bytes).json(
          id: id, role: role, expiresAt: expiresAt, address: api.logins?.address()))
    },
    Route(
      .get, "/api/v1/invitations",
      "List the invites that this device made, with the devices that joined by them",
      rights: .commandRead("invites"),
      result: .json(.open([.must("items", .list(.named("Invite"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .invites(let invites) = try await api.ask(.invites) else {
        throw Problem.unexpected
      }
      return .ok(
        .object(["items": .array(invites.suffix(Int(Rows.mostPerPage)).map(\.json))]))
    },
    Route(
      .delete, "/api/v1/invitations/{id}",
      "Withdraw an invite that this device made: no further device joins by it", rights: .command,
      result: .json(.named("Invite"))
    ) { api, call in
      guard case .invites(let invites) = try await api.ask(.withdrawInvite(call.id)),
        let invite = invites.first
      else { throw Problem.unexpected }
      return .ok(invite.json)
    },
    Route(
      .post, "/api/v1/devices/{id}/revoke", "Revoke a device permanently", rights: .command,
      result: .done
    ) { api, call in
      _ = try await api.ask(.revoke(call.id))
      return Answer(.noContent)
    },
    Route(
      .get, "/api/v1/council",
      "List the councils of commanders, their votes, and the proposals for further ones",
      rights: .read,
      result: .json(
        .open([.must("items", .list(.named("Council"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .councils(let councils) = try await api.ask(.councils) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(councils.map(\.json))]))
    },
    Route(
      .post, "/api/v1/epoch/rotate", "Rotate the group key for all further writes",
      rights: .command,
      result: .done
    ) { api, _ in
      _ = try await api.ask(.rotateEpoch)
      return Answer(.noContent)
    },
  ]

  // MARK: Quarantine

  private static let quarantined: [Route] = [
    Route(
      .get, "/api/v1/quarantine",
      "List the frames of revoked devices after their cut-off, which have no effect",
      rights: .commandRead("quarantined frames"),
      result: .json(
        .open([.must("items", .list(.named("QuarantinedFrame"), most: Int(Rows.mostPerPage)))]))
    ) { api, _ in
      guard case .quarantine(let frames) = try await api.ask(.quarantine) else {
        throw Problem.unexpected
      }
      return .ok(.object(["items": .array(frames.map(\.json))]))
    },
    Route(
      .post, "/api/v1/quarantine/{id}/release",
      "Release a quarantined frame, or all frames of a device", rights: .command,
      result: .json(.open([.must("released", .count)]))
    ) { api, call in
      guard case .released(let count) = try await api.ask(.release(call.id)) else {
        throw Problem.unexpected
      }
      return .ok(.object(["released": .count(count)]))
    },
  ]

  // MARK: Sampling settings

  private static let profile = Shape.object(
    [
      .may("mode", .choice(LocationMode.allCases.map(\.name))),
      .may("readingSeconds", .integer(1...Int64(LocationProfile.longestSeconds))),
      .may("sendingSeconds", .integer(1...Int64(LocationProfile.longestSeconds))),
      .may("distanceMetres", .integer(1...Int64(LocationProfile.farthestMetres))),
      .may("accuracyMetres", .integer(1...Int64(LocationProfile.farthestMetres))),
      .may("sharesTrack", .flag),
    ], least: 1)

  /// Like `SettingsSummary`; omitted members stay unchanged.
  private static let changes = Shape.object(
    [
      .may("foreground", profile), .may("background", profile),
      .may("silenceSeconds", .integer(0...Int64(Limits.spanSeconds))),
    ], least: 1)

  private static let watching: [Route] =
    settingRoutes(at: "/api/v1/settings", of: "all devices") { _ in nil }
    + settingRoutes(at: "/api/v1/users/{id}/settings", of: "a user's devices") { $0.id }

  private static func settingRoutes(
    at path: String, of subject: String, _ user: @escaping @Sendable (Call) -> String?
  ) -> [Route] {
    [
      Route(
        .get, path, "Get the sampling settings of \(subject)", rights: .read,
        result: .json(.named("Settings"))
      ) { api, call in .ok(try await settings(of: user(call), at: api).json) },
      Route(
        .patch, path, "Change the sampling settings of \(subject); omitted members stay unchanged",
        rights: .command,
        body: changes, result: .json(.named("Settings"))
      ) { api, call in
        let user = user(call)
        let before = try await settings(of: user, at: api)
        for (name, profile) in [
          ("foreground", before.foreground), ("background", before.background),
        ] {
          guard let change = call[name] else { continue }
          let command = Command.setProfile(
            profile.changed(by: call.with(body: change)), user: user,
            isForeground: name == "foreground")
          _ = try await api.ask(command)
        }
        if let silence = call.integer("silenceSeconds") {
          _ = try await api.ask(.setSilence(seconds: UInt32(clamping: silence), user: user))
        }
        return .ok(try await settings(of: user, at: api).json)
      },
    ]
  }

  private static func settings(
    of user: String?, at api: API
  ) async throws -> SettingsSummary {
    guard case .settings(let settings) = try await api.ask(.settings(user: user)) else {
      throw Problem.unexpected
    }
    return settings
  }
}

extension LocationProfile {
  /// Applies the members of a request body, which its shape has validated.
  fileprivate func changed(by call: Call) -> LocationProfile {
    func number(_ name: String, else old: UInt16) -> UInt16 {
      call.integer(name).map { UInt16(clamping: $0) } ?? old
    }
    return LocationProfile(
      mode: call.text("mode").flatMap(LocationMode.init(name:)) ?? mode,
      readingSeconds: number("readingSeconds", else: readingSeconds),
      sendingSeconds: number("sendingSeconds", else: sendingSeconds),
      distanceMetres: number("distanceMetres", else: distanceMetres),
      accuracyMetres: number("accuracyMetres", else: accuracyMetres),
      sharesTrack: call.flag("sharesTrack") ?? sharesTrack)
  }
}
