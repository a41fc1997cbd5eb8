internal import MusterModel

/// HTTPS uplinks. The shell reports when one opens and closes, so no timeout is needed. An incoming
/// uplink is never used to call back.
extension SyncEngine {
  mutating func openUplink(_ endpoint: Endpoint) {
    addContact(endpoint)
    // No rate limit applies: it is meant for attempts that may fail.
    if handshaker.contains(endpoint) { return }
    if context.sessions.values.contains(where: { $0.endpoint == endpoint }) { return }
    handshaker.initiate(to: endpoint, contacts: contacts, context: &context)
  }

  mutating func closeUplink(_ endpoint: Endpoint) {
    contacts.book.forget(endpoint)
    handshaker.removeAll(at: endpoint)
    let gone = context.sessions.values.filter { $0.endpoint == endpoint }.map(\.localIndex)
    for index in gone.sorted() { close(index) }
  }
}
