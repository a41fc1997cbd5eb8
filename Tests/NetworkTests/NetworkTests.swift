import Testing

/// The program on real networks: each laptop is a network namespace, each wire a bridge with a
/// veth pair to every laptop on it, and nft takes away what the air would. Nothing of it leaves
/// this machine. One story at a time, since they share its processors.
@Suite(
  .serialized, .timeLimit(.minutes(15)),
  .enabled("needs root, ip, tc, nft and the right to make network namespaces") {
    guard let obstacle = Namespaces.obstacle else { return true }
    print("no tests on real networks, since \(obstacle)")
    return false
  })
enum NetworkTests {}
