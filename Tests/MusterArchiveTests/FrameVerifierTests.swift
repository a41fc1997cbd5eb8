import MusterCrypto
import MusterModel
import MusterSync
import Testing

@testable import MusterArchive

@Suite("Verification of frames for the archive")
struct FrameVerifierTests {
  private func refusal(
    of frames: [Frame], by verifier: inout FrameVerifier, isArchived: Bool = false
  ) throws -> BundleRefusal? {
    do {
      _ = try verifier.verify(frames, isArchived: isArchived)
      return nil
    } catch let refusal as BundleRefusal {
      return refusal
    }
  }

  @Test func `a member's frames count once the control log that admits them was verified`() throws {
    let world = try World()
    var verifier = world.verifier()
    let bens = world.log(of: world.ben, lane: .state, bodies: [[1], [2]])
    #expect(try refusal(of: bens, by: &verifier) == .unknownAuthor)
    let control = world.log(of: world.ada, lane: .control, bodies: [world.admission()])
    #expect(try refusal(of: control, by: &verifier) == nil)
    #expect(try refusal(of: bens, by: &verifier) == nil)
    #expect(verifier.takeNewCertificates() == [world.ada.certificate, world.ben.certificate])
  }

  @Test func `a forged frame is rejected, and the true one is accepted after it`() throws {
    let world = try World()
    var verifier = world.verifier()
    let true_ = world.log(of: world.ada, lane: .state, bodies: [[1], [2]])
    var forged = true_
    forged[2].body = [3]
    forged[2].hash = forged[2].computedHash(operation: world.operation)
    #expect(try refusal(of: forged, by: &verifier) == .forged)
    // An author that is not the one of the certificate.
    let mallory = World.Author(
      key: try SigningKey(seed: [UInt8](repeating: 9, count: 32)), agreement: world.ada.agreement,
      certificate: world.ada.certificate)
    #expect(
      try refusal(of: world.log(of: mallory, lane: .urgent, bodies: [[1]]), by: &verifier)
        == .forged)
    #expect(try refusal(of: true_, by: &verifier) == nil)
  }

  @Test func `frames of another operation do not verify in this one`() throws {
    let world = try World()
    var verifier = world.verifier()
    let other = OperationID(raw: Bytes16(high: 1, low: 1))
    let frames = world.log(of: world.ada, lane: .state, bodies: [[1]], in: other)
    #expect(try refusal(of: frames, by: &verifier) == .forged)
  }

  @Test func `a run without the frames before it waits for them`() throws {
    let world = try World()
    var verifier = world.verifier()
    let frames = world.log(of: world.ada, lane: .state, bodies: (1...6).map { [$0] })
    #expect(try refusal(of: Array(frames[0...2]), by: &verifier) == nil)
    #expect(try refusal(of: Array(frames[5...6]), by: &verifier) == .unattached)
    #expect(try refusal(of: Array(frames[3...4]), by: &verifier) == nil)
    #expect(try refusal(of: Array(frames[5...6]), by: &verifier) == nil)
  }

  @Test func `a run that another post archived is passed, and the next one follows it`() throws {
    let world = try World()
    var verifier = world.verifier()
    let control = world.log(of: world.ada, lane: .control, bodies: [world.admission()])
    let bens = world.log(of: world.ben, lane: .state, bodies: (1...70).map { [$0] })
    // Given what another post has archived meanwhile: a certificate, and the beginning of a log
    try verifier.pass(control)
    try verifier.pass(Array(bens[0...32]))
    try verifier.pass(Array(bens[33...64]))
    // Then the rest is verified as after any other run, and no branch is counted.
    #expect(verifier.isNext(bens[65]))
    for _ in 0...Limits.branchesPerLog {
      var copy = verifier
      #expect(try refusal(of: Array(bens[65...70]), by: &copy) == nil)
      try verifier.pass(Array(bens[33...64]))
    }
  }

  @Test func `a run without the signatures that nodes require is not archived`() throws {
    // Given a run across an interval, signed at its end only
    let world = try World()
    var frames = world.longLog(frames: 34, bytes: 5)
    for index in frames.indices.dropLast() where index > 0 { frames[index].signature = nil }
    var verifier = world.verifier()
    #expect(try refusal(of: Array(frames[..<1]), by: &verifier) == nil)
    let rest = try refusal(of: Array(frames[1...]), by: &verifier, isArchived: true)
    #expect(rest == .forged)
    // then the same run with all of them is.
    let signed = world.longLog(frames: 34, bytes: 5)
    #expect(try refusal(of: Array(signed[1...]), by: &verifier, isArchived: true) == nil)
  }

  @Test func `frames of a database that form a circle are walked once`() throws {
    let world = try World()
    var frames = world.longLog(frames: 4, bytes: 5)
    // Given a later frame with the hash of an earlier one
    frames[3].hash = frames[1].hash
    let runs = ArchivedLog.runs(ofTree: frames)
    #expect(runs.flatMap(\.self).map(\.sequence) == [0, 1, 2, 3])
  }

  @Test func `an author cannot fill the archive with logs`() throws {
    let world = try World()
    var verifier = world.verifier()
    for generation in 1...UInt32(Limits.logsPerLane) {
      let log = world.log(of: world.ada, lane: .state, bodies: [[1]], generation: generation)
      #expect(try refusal(of: log, by: &verifier) == nil)
    }
    let next = world.log(
      of: world.ada, lane: .state, bodies: [[1]], generation: UInt32(Limits.logsPerLane) + 1)
    #expect(try refusal(of: next, by: &verifier) == .overLimit)
  }

  @Test func `nor with branches of one log`() throws {
    let world = try World()
    var verifier = world.verifier()
    var results: [BundleRefusal?] = []
    for branch in 0...UInt8(Limits.branchesPerLog + 2) {
      let log = world.log(of: world.ada, lane: .state, bodies: [[1], [branch]])
      results.append(
        try refusal(of: branch == 0 ? log : [log[2]], by: &verifier, isArchived: true))
    }
    // The ninth proves that there are too many.
    #expect(results.prefix(Limits.branchesPerLog + 1).allSatisfy { $0 == nil })
    #expect(results.last == .some(.overLimit))
  }

  @Test func `runs of a forked log are divided so that each ends with a signature`() throws {
    let world = try World()
    let main = world.log(of: world.ada, lane: .state, bodies: (1...70).map { [$0] })
    let branch = world.log(
      of: world.ada, lane: .state, bodies: (1...40).map { [$0] } + [[200], [201]])
    let frames = main + branch.suffix(2)
    let runs = ArchivedLog.runs(ofTree: frames)
    #expect(runs.joined().count == frames.count)
    #expect(runs.allSatisfy { $0.last?.signature != nil && $0.count <= 33 })
    var verifier = world.verifier()
    for run in runs {
      let isArchived = runs.joined().contains { $0.hash == run[0].previous }
      _ = try verifier.verify(run, isArchived: isArchived)
    }
  }
}
