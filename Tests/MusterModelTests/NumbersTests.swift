import MusterModel
import Testing

/// Numbers on the wire and in signed bytes: they are append-only.
struct NumbersTests {
  @Test("fields keep their numbers and identify their entities")
  func fields() {
    let numbers = Dictionary(grouping: Field.allCases, by: \.entity).mapValues {
      $0.map(\.rawValue)
    }
    #expect(numbers[.user] == Array(1...9))
    #expect(numbers[.report] == Array(20...32))
    #expect(numbers[.fence] == Array(40...53))
    #expect(numbers[.directive] == Array(60...74))
    #expect(numbers[.settings] == Array(80...83))
    #expect(numbers[.tracker] == Array(100...105))
    #expect(numbers[.track] == [120])
    #expect(numbers[.permit] == Array(140...145))
    #expect(numbers[.alertAcknowledgement] == [160])
    #expect(numbers[.checkIn] == Array(180...189))
    #expect(numbers[.record] == [200])
    #expect(numbers[.exposure] == [220, 221])
    #expect(numbers[.unverifiedCall] == [240, 241, 242])
    #expect(Field.existence(of: .report)?.entity == .report)
    #expect(Field.existence(of: .fence)?.entity == .fence)
    #expect(Field.existence(of: .user) == nil)
  }

  @Test("names are read back, and unknown ones are rejected")
  func names() {
    for role in Role.allCases { #expect(Role(name: role.name) == role) }
    for category in ReportCategory.allCases {
      #expect(ReportCategory(name: category.name) == category)
    }
    for status in ReportStatus.allCases { #expect(ReportStatus(name: status.name) == status) }
    for kind in FenceKind.allCases { #expect(FenceKind(name: kind.name) == kind) }
    #expect(Role(name: "Command") == nil && ReportCategory(name: "") == nil)
    #expect(
      ReportCategory.allCases.map(\.name).joined(separator: " ")
        == "other fire flood chemical structure medical access")
    #expect(Role.allCases.filter { !$0.reads } == [.relay])
    #expect(CrossingType.enter.name == "ENTER" && CrossingType.exit.name == "EXIT")
  }

  @Test("codes keep their numbers")
  func codes() {
    #expect(EntityKind.allCases.map(\.rawValue) == Array(1...13))
    #expect(Lane.allCases.map(\.rawValue) == [1, 2, 3, 4])
    #expect(Role.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    #expect(ReportCategory.allCases.map(\.rawValue) == Array(1...7))
    #expect(ReportStatus.allCases.map(\.rawValue) == [1, 2])
    #expect(FenceKind.allCases.map(\.rawValue) == [1, 2, 3])
    #expect(FenceMode.allCases.map(\.rawValue) == [1, 2])
    #expect(DirectiveKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    #expect(DirectiveStatus.allCases.map(\.rawValue) == [1, 2])
    #expect(LocationMode.allCases.map(\.rawValue) == [1, 2, 3])
    #expect(ExposureKind.allCases.map(\.rawValue) == [1, 2, 3])
    #expect(UnverifiedCause.allCases.map(\.rawValue) == [1, 2, 3, 4])
    #expect(Dataset.allCases.map(\.rawValue) == Array(1...9))
    #expect(SafetyClaim.allCases.map(\.rawValue) == [1, 2])
  }
}
