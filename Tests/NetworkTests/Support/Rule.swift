import Foundation
import MusterTestKit

/// An nft rule that drops UDP datagrams on arrival at a laptop. Drops are counted, so that a test
/// can verify them.
struct Rule {
  private let match: String

  /// Drops each datagram with this probability. Applied on every laptop, it affects both
  /// directions.
  static func losing(percent: Int) -> Rule {
    Rule(match: "numgen random mod 100 < \(percent)")
  }

  /// Drops multicast, as many guest networks do.
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

  /// Returns the number of datagrams that the rule of this laptop has dropped.
  static func dropped(in namespace: String) throws -> Int {
    let rules = try Namespaces.run(
      "ip", "netns", "exec", namespace, "nft", "list", "table", "inet", "air")
    guard let count = rules.firstMatch(of: /counter packets (\d+)/).flatMap({ Int($0.1) }) else {
      throw Failed("no counter in \(rules)")
    }
    return count
  }
}
