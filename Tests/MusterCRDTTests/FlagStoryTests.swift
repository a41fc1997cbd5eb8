import MusterModel
import Testing

@testable import MusterCRDT

struct FlagStoryTests {
  private let raised = WrittenFrame(1, by: .owner, sets: .reportToEvacuate, to: .mark)

  @Test("an evacuate flag that is raised while another author clears it remains")
  func concurrent() {
    // given a flag that one author clears and another, unaware, raises again
    let cleared = WrittenFrame(2, by: .commander, clears: .reportToEvacuate, over: raised)
    let again = WrittenFrame(3, by: .owner, sets: .reportToEvacuate, to: .mark, over: raised)
    for order in [raised, cleared, again].permutations {
      var holder = Holder(.report)
      holder.receive([.create] + order)
      #expect(holder.row.isSet(.reportToEvacuate))
    }
  }

  @Test("an evacuate flag cleared by an author that saw it is cleared, in any order")
  func sequential() {
    let cleared = WrittenFrame(2, by: .commander, clears: .reportToEvacuate, over: raised)
    for order in [raised, cleared].permutations {
      var holder = Holder(.report)
      holder.receive([.create] + order)
      #expect(!holder.row.isSet(.reportToEvacuate))
    }
  }

  @Test("a deleted fence stays deleted, regardless of the role that clears it")
  func deletedFence() {
    let deleted = WrittenFrame(1, by: .commander, sets: .fenceDeleted, to: .mark)
    let undeleted = WrittenFrame(2, by: .commander, clears: .fenceDeleted, over: deleted)
    let revived = WrittenFrame(3, by: .deputy, sets: .fenceExistence, to: .mark)
    for order in [deleted, undeleted, revived].permutations {
      var holder = Holder(.fence)
      holder.receive([.fenceCreate] + order)
      #expect(holder.row.isSet(.fenceDeleted))
      #expect(!holder.row.exists)
    }
  }

  @Test("a deactivated user still exists")
  func deactivated() {
    var holder = Holder(.user)
    holder.receive(WrittenFrame(1, by: .commander, sets: .userDeactivated, to: .mark))
    #expect(holder.row.isSet(.userDeactivated))
    #expect(holder.row.exists)
  }
}
