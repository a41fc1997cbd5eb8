/// The first byte of every datagram. It tells nothing about who sent it. Numbers are on the wire.
enum DatagramKind: UInt8, Sendable {
  /// nonce ‖ sealed `SignedAnnounce`, of a program that states no rules version: not sent any more
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
  /// receiver's index ‖ cookie: under load, instead of a response
  case cookie = 7
  /// cookie ‖ an initiation or a join initiation, as it was
  case withCookie = 8
  /// rules version ‖ nonce ‖ sealed `SignedAnnounce`
  case announce = 9
}

/// Proves that its bearer hears what is sent to its address.
let cookieBytes = 16

/// The largest packet that fits a transport datagram: less kind, index, counter and tag.
let packetBytes = 1200 - 1 - 4 - 4 - 16
