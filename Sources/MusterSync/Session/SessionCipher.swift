internal import MusterCrypto
internal import MusterModel

/// The keys of a session, its counter and its replay window.
///
/// Invariant: no counter encrypts twice, and none is accepted twice.
struct SessionCipher: Sendable {
  private let sendKey: SessionKey
  private let receiveKey: SessionKey
  /// The counter of the next datagram.
  private(set) var sendCounter: UInt64 = 0
  private var window = ReplayWindow()

  init(send: SessionKey, receive: SessionKey) { (sendKey, receiveKey) = (send, receive) }

  mutating func seal(_ packet: [UInt8]) -> [UInt8] {
    defer { sendCounter += 1 }
    return sendKey.seal(packet, counter: sendCounter, additionalData: [])
  }

  /// Decrypts a datagram of which the last 32 bits of the counter are known. Nil if it does not
  /// authenticate or is a replay.
  mutating func open(
    counter low: UInt32, _ ciphertext: ArraySlice<UInt8>
  ) -> (packet: [UInt8], counter: UInt64)? {
    let counter = window.counter(endingIn: low)
    guard let packet = receiveKey.open(ciphertext, counter: counter, additionalData: []),
      window.accept(counter)
    else { return nil }
    return (packet, counter)
  }
}
