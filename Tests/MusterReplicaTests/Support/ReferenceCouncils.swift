import MusterCrypto
import MusterModel
import MusterSync

@testable import MusterReplica

extension Reference {
  /// The rule of councils, written a second time and as plainly as possible: nothing is bounded,
  /// and everything is derived again for each question.
  struct Councils {
    let operation: OperationID
    let rootKey: VerifyingKey
    var endorsements: Set<Endorsement> = []
    var votes: Set<SignedVote> = []
    var certificates: [CertificateHash: SignedCertificate] = [:]

    struct Decision {
      var members: Set<DeviceID> = []
      var listed: [ListedCertificate] = []
      var left: [DeviceID: CouncilDecision.Remainder] = [:]
      var revocations: [FrameHash: [Revocation]] = [:]
    }

    init(operation: OperationID, rootKey: VerifyingKey) {
      self.operation = operation
      self.rootKey = rootKey
    }

    private func chain(of hash: CertificateHash) -> CertificateChain? {
      var chain: [SignedCertificate] = []
      var next = hash
      while next != .root, chain.count < 5, let signed = certificates[next] {
        chain.append(signed)
        next = signed.certificate.issuer
      }
      return CertificateChain(chain, operation: operation, rootKey: rootKey)
    }

    private func counts(_ council: Council) -> Bool {
      if council.parent == .root { return endorsements.contains { $0.council == council } }
      guard
        let parent = endorsements.first(where: { $0.hash == council.parent })?.council,
        parent.serial == council.serial, counts(parent)
      else { return false }
      let voices = parent.members.filter { member in
        let signed = endorsements.filter {
          $0.signer == member && $0.council.parent == council.parent
        }
        return signed.count > Limits.endorsementsPerMember
          || signed.contains { $0.council == council }
      }
      return voices.count > parent.members.count / 2
    }

    func decision(_ lineage: Lineage) -> Decision {
      var decision = Decision()
      let counting = Set(endorsements.map(\.council)).filter(counts)
      let serial = counting.map(\.serial).max()
      let current = counting.filter { $0.serial == serial }
      let stays = Set(current.flatMap(\.stays))
      for member in Set(current.flatMap(\.members)) {
        guard let chain = chain(of: member) else { continue }
        decision.members.insert(chain.leaf.certificate.device)
        decision.listed.append(
          ListedCertificate(chain: chain.certificates))
      }
      for council in counting {
        for device in Set(votes.map(\.vote.device))
        where council.serial == serial || stays.contains(device) {
          decide(device, council, lineage, &decision)
        }
      }
      return decision
    }

    private func decide(
      _ device: DeviceID, _ council: Council, _ lineage: Lineage, _ decision: inout Decision
    ) {
      var voices: [UserID: [SignedVote]] = [:]
      for vote in votes where vote.vote.council == council.hash && vote.vote.device == device {
        guard let voter = chain(of: vote.vote.voter)?.leaf.certificate else { continue }
        voices[voter.user, default: []].append(vote)
      }
      let quorum = council.members.count / 2 + 1
      guard voices.count >= quorum else { return }
      func excludes(_ votes: [SignedVote], _ log: LogID, _ sequence: UInt64) -> Bool {
        Dictionary(grouping: votes, by: \.vote.voter).values.contains {
          $0.count > Limits.votesPerTarget
        }
          || votes.contains { vote in
            lineage.reach(of: vote.vote.revocation.cuts)[log].map { $0 < sequence } ?? true
          }
      }
      func excludes(_ votes: [SignedVote], _ certificate: CertificateHash) -> Bool {
        Dictionary(grouping: votes, by: \.vote.voter).values.contains {
          $0.count > Limits.votesPerTarget
        }
          || votes.contains { $0.vote.revocation.keeps?.contains(certificate) != true }
      }
      var left = CouncilDecision.Remainder(last: [:], kept: [])
      let cast = voices.values.flatMap(\.self)
      for (log, sequence) in cast.flatMap({ lineage.reach(of: $0.vote.revocation.cuts) })
      where voices.values.count(where: { excludes($0, log, sequence) }) < quorum {
        left.last[log] = max(left.last[log] ?? 0, sequence)
      }
      for certificate in cast.flatMap({ $0.vote.revocation.keeps ?? [] })
      where voices.values.count(where: { excludes($0, certificate) }) < quorum {
        left.kept.insert(certificate)
      }
      decision.left[device] = decision.left[device].map { $0.intersection(left) } ?? left
      decision.revocations[FrameHash(votedBy: council.hash, against: device)] = [
        Revocation(device: device, cuts: [], keeps: [])
      ]
    }
  }
}
