import Testing

@testable import MusterHTTP

/// How many passphrases are verified: guesses, and logins with a correct one.
@Suite struct `Verifications of passphrases` {
  @Test func `an address waits longer after each failure, and one IPv6 network is one address`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    func pause(_ client: String, after seconds: Int) -> Duration? {
      throttle.pause(of: "Maria", from: client, now: start + .seconds(seconds))
    }
    for number in 0..<5 {
      #expect(pause("2001:db8::\(number)", after: 0) == nil)
      throttle.failed("Maria", from: "2001:db8::\(number)", now: start)
    }
    #expect(pause("2001:db8:0:0:9::1", after: 0) == .seconds(60))
    #expect(pause("2001:db8:0:1::1", after: 0) == nil)
    #expect(pause("2001:db8::1", after: 61) == nil)
    throttle.failed("Maria", from: "2001:db8::1", now: start + .seconds(61))
    #expect(pause("2001:db8::1", after: 61) == .seconds(120))
    throttle.succeeded("Maria", from: "2001:db8::1", now: start + .seconds(181))
    #expect(pause("2001:db8::2", after: 181) == nil)
  }

  @Test func `people do not reset the count of their address with an account of their own`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    for _ in 0..<5 {
      throttle.failed("Maria", from: "10.0.0.9", now: start)
      throttle.succeeded("Eve", from: "10.0.0.9", now: start)
    }
    #expect(throttle.pause(of: "Maria", from: "10.0.0.9", now: start) == .seconds(60))
    // Eve, who is known at the address, is not slowed down by her guesses of other passphrases.
    #expect(throttle.pause(of: "Eve", from: "10.0.0.9", now: start) == nil)
    for _ in 0..<5 { throttle.failed("Eve", from: "10.0.0.9", now: start) }
    #expect(throttle.pause(of: "Eve", from: "10.0.0.9", now: start) == .seconds(60))
  }

  @Test func `people on one link are counted apart`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    for _ in 0..<5 { throttle.failed("Maria", from: "fe80::1%wlan0", now: start) }
    #expect(throttle.pause(of: "Maria", from: "fe80::1%wlan0", now: start) != nil)
    #expect(throttle.pause(of: "Maria", from: "fe80::2%wlan0", now: start) == nil)
  }

  @Test func `a login that is repeated without end takes little of the verification`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    // Given a user, or a thief of a passphrase, at one address or at many
    for number in 0..<30 {
      #expect(throttle.pause(of: "Eve", from: "10.0.1.\(number)", now: start) == nil)
      throttle.succeeded("Eve", from: "10.0.1.\(number)", now: start)
    }
    // Then the login waits at each address, and no other one does.
    for client in ["10.0.1.1", "10.0.2.1"] {
      #expect(throttle.pause(of: "Eve", from: client, now: start) == .seconds(10))
      #expect(throttle.pause(of: "Maria", from: client, now: start) == nil)
    }
    throttle.succeeded("Eve", from: "10.0.1.1", now: start + .seconds(10))
    #expect(throttle.pause(of: "Eve", from: "10.0.1.1", now: start + .seconds(10)) != nil)
    // Wrong passphrases of others use up no logins of their account.
    for number in 0..<250 {
      throttle.failed("Otto", from: "10.0.3.\(number)", now: start)
    }
    throttle.succeeded("Otto", from: "10.0.4.1", now: start + .seconds(3000))
    #expect(throttle.pause(of: "Otto", from: "10.0.4.1", now: start + .seconds(3000)) == nil)
  }

  @Test func `an address with many logins waits, and other addresses do not`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    for number in 0..<60 {
      throttle.succeeded("user \(number % 3)", from: "10.0.0.9", now: start)
    }
    #expect(throttle.pause(of: "Maria", from: "10.0.0.9", now: start) == .seconds(2))
    #expect(throttle.pause(of: "Maria", from: "10.0.0.10", now: start) == nil)
    #expect(throttle.pause(of: "Maria", from: "10.0.0.9", now: start + .seconds(2)) == nil)
  }

  @Test func `guesses that are sent at once get no more attempts than those in turn`() throws {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    func begin() throws -> LoginThrottle.Attempt? {
      if case .verify(let attempt) = throttle.begin("Maria", from: "10.0.0.9", now: start) {
        return attempt
      }
      return nil
    }
    // Two are verified at once; what was not verified counts for nothing.
    let first = try #require(try begin())
    let second = try #require(try begin())
    #expect(try begin() == nil)
    throttle.end(first, isRight: nil, now: start)
    throttle.end(second, isRight: false, now: start)
    for _ in 0..<3 { throttle.failed("Maria", from: "10.0.0.9", now: start) }
    // The fifth guess is verified alone.
    let last = try #require(try begin())
    #expect(try begin() == nil)
    throttle.end(last, isRight: false, now: start)
    #expect(throttle.pause(of: "Maria", from: "10.0.0.9", now: start) == .seconds(60))
  }

  @Test func `logins of one account from many addresses displace no address of another`() {
    let throttle = LoginThrottle()
    let start = ContinuousClock.now
    throttle.succeeded("Maria", from: "10.0.0.9", now: start)
    for number in 1...3000 {
      throttle.succeeded(
        "Eve", from: "2001:db8:0:\(number)::1", now: start + .seconds(10 * number))
    }
    let now = start + .seconds(40_000)
    // Maria's address is still known: guesses from others do not slow it down.
    for number in 0..<40 { throttle.failed("Maria", from: "192.0.2.\(number)", now: now) }
    #expect(throttle.pause(of: "Maria", from: "10.0.0.10", now: now) != nil)
    #expect(throttle.pause(of: "Maria", from: "10.0.0.9", now: now) == nil)
  }
}

extension LoginThrottle {
  fileprivate func pause(
    of account: String, from client: String, now: ContinuousClock.Instant
  ) -> Duration? {
    switch begin(account, from: client, now: now) {
    case .wait(let pause): return pause
    case .verify(let attempt):
      end(attempt, isRight: nil, now: now)
      return nil
    }
  }

  fileprivate func failed(
    _ account: String, from client: String, now: ContinuousClock.Instant
  ) {
    finish(account, client, isRight: false, now)
  }

  fileprivate func succeeded(
    _ account: String, from client: String, now: ContinuousClock.Instant
  ) {
    finish(account, client, isRight: true, now)
  }

  private func finish(
    _ account: String, _ client: String, isRight: Bool, _ now: ContinuousClock.Instant
  ) {
    if case .verify(let attempt) = begin(account, from: client, now: now) {
      end(attempt, isRight: isRight, now: now)
    }
  }
}
