import ServiceLifecycle
import Testing

@testable import MusterNode

@Suite struct `Secrets on the command line` {
  private func hidden(_ argument: String, after previous: String = "") -> String? {
    let bytes = Array(argument.utf8)
    return ProcessArguments.secret(in: bytes, after: Array(previous.utf8)).map {
      String(decoding: bytes[$0], as: UTF8.self)
    }
  }

  @Test func `invites, passwords and queries of URLs are secret`() {
    #expect(hidden("muster://join/Ab-_9") == "Ab-_9")
    #expect(hidden(" MUSTER://join/Ab\n9") == "Ab\n9")
    #expect(hidden("https://10.0.0.5:7443/join#invite=Ab-_9") == "Ab-_9")
    #expect(hidden("http://user:pass@proxy:1", after: "--proxy") == "user:pass")
    #expect(hidden("user:p@ss@proxy:1", after: "--proxy") == "user:p@ss")
    #expect(hidden("--proxy=user:pass@proxy:1") == "user:pass")
    #expect(hidden("--proxy=http://user:pass@proxy:1") == "user:pass")
    #expect(hidden("postgres://me:pass@host/db?sslmode=require") == "me:pass")
    #expect(hidden("host=db password=pass") == "pass")
    #expect(hidden("https://board.example/hook?key=k") == "key=k")
  }

  @Test(arguments: [
    "", "muster://join/", "run", "--proxy", "http://proxy:1", "a@b", "Who is there?",
    "https://post.example:7443", "127.0.0.1:7480", "@", "://", "Rúa@",
  ])
  func `other arguments are shown`(argument: String) {
    #expect(hidden(argument, after: "--title") == nil)
  }

  @Test func `an error that quotes an argument is printed without its secret`() {
    let arguments = ["join", "muster://join/Abc!", "--proxy", "user:pass@proxy"]
    let message = "The value 'muster://join/Abc!' is invalid, and so is \"user:pass@proxy\""
    #expect(
      ProcessArguments.withoutSecrets(message, of: arguments)
        == "The value 'muster://join/…' is invalid, and so is \"…@proxy\"")
  }

  @Test func `a service is printed as the name of its type`() async throws {
    struct Listener: Service {
      let token = "TOKEN"
      func run() async throws {}
    }
    let service = NamedService(service: Listener())
    var dumped = ""
    dump(service, to: &dumped)
    for text in ["\(service)", String(reflecting: service), dumped] {
      #expect(text.contains("Listener") && !text.contains("TOKEN"))
    }
  }
}
