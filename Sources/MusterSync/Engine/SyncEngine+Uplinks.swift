internal import MusterModel

/// Ways over HTTPS. The shell says when one stands and when it has gone, so nothing has to be found
/// out by silence; whoever came by one is never called by it.
extension SyncEngine {
  mutating func openUplink(_ endpoint: Endpoint) {
    addContact(endpoint)
    // The allowance for calls is for those that may be in vain.
    if handshakes.values.contains(where: { $0.endpoint == endpoint }) { return }
    if sessions.values.contains(where: { $0.endpoint == endpoint }) { return }
    initiate(to: endpoint)
  }

  mutating func closeUplink(_ endpoint: Endpoint) {
    contacts[endpoint] = nil
    for handshake in handshakes.values where handshake.endpoint == endpoint {
      handshakes[handshake.localIndex] = nil
    }
    let gone = sessions.values.filter { $0.endpoint == endpoint }.map(\.localIndex)
    for index in gone.sorted() { close(index) }
  }
}
