internal import MusterCRDT
public import MusterModel

/// Requests about exposures (decision 0060).
public enum ExposureRequests {
  /// Seals a note of this device to command. It replaces the note before.
  ///
  /// - Returns: a request for the number of command devices that can read it.
  public static func send(_ note: ProximityNote) -> WriteRequest<Int> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      if let fault = note.report?.fault { throw Refusal(fault) }
      let recipients = context.read.control.noteRecipients
      let local = context.read.local
      let key = ExposureList.key(local.device)
      let seal = CommandSeal(operation: local.operation, row: key.id)
      let state = try context.settled(key)
      guard
        let sealed = seal.seal(
          note, to: recipients, key: context.drawKey(), boxes: context.drawKey())
      else { throw Refusal("this laptop knows no device of command: nothing was sent", .notNow) }
      var composer = Composer(state, origin: nil)
      composer.insert(
        .exposureNote, .bytes(sealed),
        replacing: Array(state.dots(of: .exposureNote).prefix(Limits.supersededDots)))
      return Draft(answer: recipients.count, rows: [composer.writes], lane: .state)
    }
  }

  /// Publishes a notice, or publishes it again with other content; command only. The text and the
  /// keys MUST NOT reveal the person.
  ///
  /// - Parameter oldest: notices whose keys are all of earlier days are removed.
  public static func publish(_ notice: ExposureNotice, oldest: UInt32) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      if let fault = notice.fault { throw Refusal(fault) }
      let state = try context.settled(ExposureList.key(context.operation))
      var composer = Composer(state, origin: nil)
      let entries = ExposureList.entries(of: state)
      let expired = entries.filter { ($0.notice.keys.last?.day ?? 0) < oldest }
      let known = entries.first { $0.notice.id == notice.id }
      guard known != nil || entries.count - expired.count < Limits.exposureNotices else {
        throw Refusal(
          "an operation has at most \(Limits.exposureNotices) notices: withdraw one first")
      }
      composer.remove(.exposureNotices, expired.flatMap { $0.values.map(\.dot) })
      composer.insert(
        .exposureNotices, .bytes(notice.encoded()),
        replacing: Array((known?.values.map(\.dot) ?? []).prefix(Limits.supersededDots)))
      return Draft(composer, lane: .state)
    }
  }

  /// Withdraws a notice; command only. Refuses with the kind `unknown` if there is none.
  public static func withdraw(_ id: ExposureID) -> WriteRequest<Void> {
    WriteRequest { context in
      try context.require(.command)
      let state = try context.settled(ExposureList.key(context.operation))
      let found = ExposureList.entries(of: state).first { $0.notice.id == id }
      guard let found else {
        throw Refusal(
          "no exposure notice \(id.short): it was withdrawn, or has not arrived here",
          .unknown)
      }
      var composer = Composer(state, origin: nil)
      composer.remove(.exposureNotices, found.values.map(\.dot))
      return Draft(composer, lane: .state)
    }
  }
}
