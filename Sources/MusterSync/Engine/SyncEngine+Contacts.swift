public import MusterModel

/// Connection attempts to known addresses. They are retried indefinitely at a low rate, and share
/// one rate limit, so that a hundred absent laptops cost little for those that are present.
extension SyncEngine {
  /// The addresses that are being tried, for an engine that takes over.
  public var contactEndpoints: [Endpoint] { contacts.book.endpoints }

  /// Adds an address that the user configured or that was restored.
  mutating func addContact(_ endpoint: Endpoint) {
    if contacts.book.addConfigured(endpoint, now: context.now) { tryContacts() }
  }

  /// Tries every address of a device at once.
  mutating func call(_ device: DeviceID) {
    contacts.book.hasten(device, to: context.now)
    tryContacts()
  }

  /// Retries all contacts after a network change or a suspension.
  mutating func retryEverybody() {
    contacts.hastenAll(to: context.now)
    announcer.reset(context: &context)
    for device in context.peers.connected {
      context.outbox.sendQueues[device]?.changePath()
      context.outbox.touch(device)
      context.peers[known: device].heartbeat.quicken(now: context.clock.now)
      probeNow(device)
    }
    tryContacts()
  }

  mutating func tryContacts() {
    contacts.addSought(context: &context)
    for (endpoint, contact) in contacts.book.due(at: context.now)
    where contacts.attempt(contact, at: endpoint, context: &context) {
      handshaker.initiate(to: endpoint, contacts: contacts, context: &context)
    }
    if let next = contacts.book.nextAttempt { context.deadlines.schedule(.contacts, at: next) }
  }
}
