import Foundation
import TestSupport

/// What nft takes away from the UDP datagrams that reach a laptop. Counted, so that a story can
/// tell that something was taken away at all.
struct Rule {
  private let match: String

  /// Each datagram is lost with this probability. On every laptop, that is both ways of a wire.
  static func losing(percent: Int) -> Rule {
    Rule(match: "numgen random mod 100 < \(percent)")
  }

  /// As on many guest networks.
  static let withoutMulticast = Rule(match: "meta pkttype { multicast, broadcast }")

  func apply(in namespace: String) throws {
    let table = """
      table inet air {
        chain arriving {
          type filter hook input priority 0; policy accept;
          meta l4proto udp \(match) counter drop
        }
      }
      """
    try Namespaces.run(
      "ip", "netns", "exec", namespace, "nft", "-f", "-",
      input: "table inet air\ndelete table inet air\n" + table + "\n")
  }

  /// How many datagrams the rule of this laptop has dropped.
  static func dropped(in namespace: String) throws -> Int {
    let rules = try Namespaces.run(
      "ip", "netns", "exec", namespace, "nft", "list", "table", "inet", "air")
    guard let count = rules.firstMatch(of: /counter packets (\d+)/).flatMap({ Int($0.1) }) else {
      throw Failed("no counter in \(rules)")
    }
    return count
  }
}
