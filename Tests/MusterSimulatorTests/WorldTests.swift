import Testing

@testable import MusterSimulator

@Suite struct WorldTests {
  @Test func `a world can be made`() { _ = World() }
}
