import Testing

/// The program on real networks: each laptop is a network namespace, each wire a bridge with a
/// veth pair to every laptop on it, and nft drops datagrams like a radio. No traffic leaves this
/// machine. One test at a time, because they share its processors.
@Suite(
  .serialized, .timeLimit(.minutes(30)),
  .enabled("needs root, ip, tc, nft and the right to make network namespaces") {
    guard let obstacle = Namespaces.obstacle else { return true }
    print("no tests on real networks, since \(obstacle)")
    return false
  })
enum NetworkTests {}
