public import MusterModel

/// Requests about the emergency contacts of the operation.
public enum ContactRequests {
  /// Adds, edits or removes a contact; command only.
  ///
  /// - Returns: a request for the id of the contact.
  public static func write(_ change: ContactWrite) -> WriteRequest<ContactID> {
    WriteRequest { context in
      try context.require(.command)
      let key = SettingsReader(context: context.read).key(for: nil)
      let settings = try context.settled(key)
      let (id, writes) = try ContactEditor(settings).writes(
        for: change, new: ContactID(raw: context.newOrigin().nonce))
      return Draft(answer: id, rows: [writes], lane: .state)
    }
  }
}
