import Foundation

/// How much a test of drawn cases runs. The usual volume takes seconds.
package enum Volume {
  private static let environment = ProcessInfo.processInfo.environment

  /// The one seed that a failed test is repeated with: `MUSTER_TEST_SEED`.
  package static let onlySeed = environment["MUSTER_TEST_SEED"].flatMap(UInt64.init)

  /// Returns `MUSTER_VOLUME`; the usual volume of the test without it.
  package static func orUsual(_ usual: Int) -> Int {
    environment["MUSTER_VOLUME"].flatMap(Int.init) ?? usual
  }

  /// Returns the seeds from 1 on, as many as the volume, or only the one to be repeated.
  package static func seeds(orUsual usual: Int) -> ClosedRange<UInt64> {
    onlySeed.map { $0...$0 } ?? 1...UInt64(max(orUsual(usual), 1))
  }
}
