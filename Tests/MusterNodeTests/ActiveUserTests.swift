import Logging
import MusterModel
import Testing

@testable import MusterNode

@Suite("Active users")
struct ActiveUserTests {
  @Test func `a user is active until signed off, and an unknown one never`() async throws {
    let folder = try ScratchFolder()
    let home = folder.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    let opened = try OpenedHome(home, passphrase: { [] })
    let node = Node(opened, transport: nil, logger: Logger(label: "test"))
    guard case .users(let users) = await node.perform(.users) else {
      throw NodeError.refused("no users")
    }
    let ada = try #require(users.first?.id)
    #expect(try await node.isActive(ada))
    _ = await node.perform(.signOff(user: "Ada", reason: "went home", isConfirmed: true))
    #expect(try await node.isActive(ada) == false)
    _ = await node.perform(.signOn(user: "Ada", reason: ""))
    #expect(try await node.isActive(ada))
    #expect(try await node.isActive(UserID(raw: .zero)) == false)
  }
}
