/// The first byte of every datagram. It does not identify the sender. Numbers are on the wire.
enum DatagramKind: UInt8, Sendable {
  /// nonce ‖ sealed `SignedAnnounce`, of a program that states no rules version: no longer sent
  case unversionedAnnounce = 1
  /// sender's index ‖ Noise message 1
  case initiation = 2
  /// receiver's index ‖ sender's index ‖ Noise message 2
  case response = 3
  /// receiver's index ‖ Noise message 3
  case finish = 4
  /// receiver's index ‖ counter ‖ sealed `Packet`
  case transport = 5
  /// invite id ‖ sender's index ‖ Noise message 1, under the invite's secret
  case joinInitiation = 6
  /// receiver's index ‖ cookie: under load, in place of a response
  case cookie = 7
  /// cookie ‖ an initiation or a join initiation, unchanged
  case withCookie = 8
  /// rules version ‖ nonce ‖ sealed `SignedAnnounce`
  case announce = 9
}

/// The size of a cookie, which proves that its holder receives packets at its address.
let cookieBytes = 16

/// The largest packet that fits a transport datagram: less kind, index, counter and tag.
let packetBytes = 1200 - transportBytes
/// The same on a path that carries larger datagrams.
let largestPacketBytes = 1452 - transportBytes
private let transportBytes = 1 + 4 + 4 + 16
