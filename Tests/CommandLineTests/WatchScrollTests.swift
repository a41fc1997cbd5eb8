import MusterModel
import Testing

@testable import muster

@Suite struct `Keys of the live screen` {
  @Test(
    arguments: [
      ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("kj", [.up, .down]),
      ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]), ("b ", [.pageUp, .pageDown]),
      ("\u{1B}[H\u{1B}[4~", [.home, .end]), ("gG", [.home, .end]), ("?", [.help]),
      ("q", [.quit]), ("\u{3}", [.quit]), ("\u{1B}", [.escape]),
      // Other keys, a mouse and text: nothing.
      ("\u{1B}[1;5C\u{1B}[M\u{1B}OPxyzé", []), ("", []),
    ] as [(String, [WatchKey])])
  func `are what terminals send`(text: String, keys: [WatchKey]) {
    #expect(WatchKey.keys(in: Array(text.utf8)) == keys)
  }

  @Test func `scroll by lines and pages, and never past the ends`() {
    var scroll = WatchScroll()
    func press(_ keys: WatchKey...) -> Int {
      for key in keys { scroll.press(key) }
      scroll.fit(50, in: 20, isTopRepeated: false)
      return scroll.top
    }
    #expect(press() == 0 && press(.up) == 0 && press(.down) == 1)
    #expect(press(.pageDown) == 20 && press(.pageUp) == 1)
    #expect(press(.end) == 30 && press(.down, .pageDown) == 30 && press(.home) == 0)
    // What is shown shrinks: it stays in view.
    _ = press(.end)
    scroll.fit(22, in: 20, isTopRepeated: false)
    #expect(scroll.top == 2)
    scroll.fit(10, in: 20, isTopRepeated: false)
    #expect(scroll.top == 0)
    // The repeated line takes one of the room.
    scroll.press(.end)
    scroll.fit(50, in: 20, isTopRepeated: true)
    scroll.press(.end)
    #expect(scroll.top == 31)
  }

  @Test func `close the help, whatever they are`() {
    var scroll = WatchScroll()
    scroll.fit(50, in: 20, isTopRepeated: false)
    scroll.press(.help)
    #expect(scroll.showsHelp)
    scroll.press(.down)
    #expect(!scroll.showsHelp && scroll.top == 0)
  }

  @Test func `of a burst are drawn once, and a quit among them is not lost`() async {
    let queue = WatchQueue()
    for _ in 0..<1000 { queue.press([.down]) }
    queue.press([.quit])
    for _ in 0..<1000 { queue.refresh() }
    var wakeUps = queue.wakeUps.makeAsyncIterator()
    await wakeUps.next()
    let work = queue.take()
    #expect(work.quits && work.isStale && work.keys.count == 256)
    #expect(queue.take().keys.isEmpty)
  }
}
