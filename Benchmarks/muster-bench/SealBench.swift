import ArgumentParser
import MusterCrypto
import MusterModel
import MusterSync

/// Sealing frames: encrypted, hashed and signed.
struct SealBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal",
    abstract: "Full frames sealed and signed, beside the bare primitives of libsodium.")

  @Option(help: "Frames in a round.")
  var frames = 10_000

  @Option var rounds = 5

  func run() throws {
    var random = DeterministicRandom(seed: [UInt8](repeating: 6, count: 32))
    let signer = random.signingKey()
    guard let key = SealingKey(bytes: random.bytes(SealingKey.byteCount)) else {
      preconditionFailure("32 bytes are a key")
    }
    let plaintext = random.bytes(Limits.framePlaintextBytes)
    let nonce = random.nonce24()
    let operation = OperationID(rootKey: signer.publicKey)
    let log = LogID(raw: random.bytes16())
    let header = random.bytes(134)
    var (ours, theirs): ([Double], [Double]) = ([], [])
    for _ in 0..<max(1, rounds) {
      let (_, mine) = timed {
        var previous = FrameHash.none
        for sequence in 1...frames {
          previous =
            Frame.sealed(
              operation: operation, log: log, sequence: UInt64(sequence), previous: previous,
              epoch: EpochID(raw: .zero), plaintext: plaintext, key: key, nonce: nonce,
              signedBy: signer
            ).hash
        }
      }
      let (_, bare) = timed {
        for _ in 1...frames {
          let body = nonce.bytes + key.seal(plaintext, nonce: nonce, additionalData: header)
          _ = signer.sign(Blake2b.hash256(body).bytes)
        }
      }
      ours.append(Double(frames) / mine.processorSeconds)
      theirs.append(Double(frames) / bare.processorSeconds)
    }
    try Measurement(
      bench: "seal", value: ours.median, unit: "frames/s", limit: theirs.median,
      note: "\(Limits.framePlaintextBytes) bytes of plaintext; limit: XChaCha20-Poly1305, "
        + "BLAKE2b and Ed25519 of the same bytes and nothing else"
    ).print()
  }
}
