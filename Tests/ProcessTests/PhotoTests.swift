import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct PhotoTests {
    /// A PNG of 8 × 8 red pixels.
    static let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFUlEQVR42mM8ISfHgA0wMeAAg1MCANDKARQfGKMR"
      + "AAAAAElFTkSuQmCC"

    @Test func `a photo is added with a report, and read on another laptop`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        let picture = field.folder.appending(path: "red.png").path
        try #require(Data(base64Encoded: Self.png)).write(to: URL(filePath: picture))

        try await ben.send("report", "add", "--title", "Gas smell", "--photo", picture)
        try await eventually("Anna has the photo, and Ben sees that command has it") {
          let photo = try await anna.ask("report", "photo", "list", "Gas smell")[0]
          let own = try await ben.ask("report", "show", "Gas smell")["photos"][0]
          return photo["original"]["percent"] == .number(100)
            && own["original"]["commandPost"] == .bool(true)
        }
        let file = field.folder.appending(path: "got.jpg")
        try await anna.send("report", "photo", "Gas smell", "1", "--out", file.path)
        #expect(try Data(contentsOf: file).starts(with: [0xFF, 0xD8, 0xFF]))
        let archive = field.folder.appending(path: "all.kmz")
        try await anna.send("export", "--format", "kmz", "--out", archive.path)
        #expect(try Data(contentsOf: archive).starts(with: Array("PK".utf8)))

        try await anna.send("report", "photo", "remove", "Gas smell", "1", "--yes")
        try await eventually("Ben's photo is gone") {
          try await ben.ask("report", "photo", "list", "Gas smell").items.isEmpty
        }
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    @Test
    func `a file that is no picture is named before the report is filed, unless it is urgent`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let page = field.folder.appending(path: "page.jpg")
        try Data("<svg><script>alert(1)</script></svg>".utf8).write(to: page)
        let ended = try await anna.attempt(
          "report", "add", "--title", "Gas smell", "--photo", page.path)
        #expect(ended.status == 1 && ended.output.isEmpty, "\(ended)")
        #expect(ended.complaint.contains("\(page.path): "), "\(ended)")
        #expect(ended.complaint.contains("nothing was added"), "\(ended)")
        #expect(try await anna.ask("report", "list").items.isEmpty)

        // An urgent one does not depend on its photos.
        for urgent in [["--evacuate"], ["--severity", "4"]] {
          let ended = try await anna.attempt(
            ["report", "add", "--title", "Gas smell"] + urgent + ["--photo", page.path])
          #expect(ended.status == 1 && !ended.output.isEmpty, "\(ended)")
          #expect(ended.complaint.contains("filed without the photo: \(page.path)"), "\(ended)")
        }
        let reports = try await anna.ask("report", "list").items
        #expect(reports.count == 2)
        try await anna.send("report", "delete", "--yes", reports[1]["id"].text ?? "")
        try await anna.attempt("report", "photo", "add", "Gas smell", page.path)
          .expectRefusal(containing: "not a picture")
        try await anna.attempt("report", "photo", "get", "Gas smell", "1", "--out", "x.jpg")
          .expectRefusal(containing: "has no photos")
      }
    }
  }
}
