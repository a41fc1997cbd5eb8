import Foundation
import Testing

@testable import MusterNode

@Suite("The paths of a home")
struct NodeHomeTests {
  @Test func `by default a home is in the user's data and state folders`() {
    let home = NodeHome.locate(home: nil, keys: nil, environment: ["HOME": "/home/ana"])

    #expect(home.path == "/home/ana/.local/share/muster")
    #expect(home.keysDirectory == "/home/ana/.local/share/muster/keys")
    #expect(home.dataDirectory == "/home/ana/.local/share/muster/data")
    #expect(home.databasePath == "/home/ana/.local/share/muster/data/muster.sqlite")
    #expect(home.runDirectory == "/home/ana/.local/share/muster/run")
    #expect(home.socketPath == "/home/ana/.local/share/muster/run/muster.sock")
    #expect(home.stateDirectory == "/home/ana/.local/state/muster")
  }

  @Test func `the XDG variables are respected`() {
    let home = NodeHome.locate(
      home: nil, keys: nil,
      environment: ["HOME": "/home/ana", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s/"])

    #expect(home.path == "/d/muster")
    #expect(home.stateDirectory == "/s/muster")
  }

  @Test func `relative XDG folders, and empty variables, are ignored`() {
    let home = NodeHome.locate(
      home: nil, keys: nil,
      environment: [
        "HOME": "/home/ana", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "", "MUSTER_HOME": "",
        "MUSTER_KEYS": "", "MUSTER_STATE": "",
      ])

    #expect(home == NodeHome.locate(home: nil, keys: nil, environment: ["HOME": "/home/ana"]))
  }

  @Test func `Muster's own variables override the XDG variables`() {
    let home = NodeHome.locate(
      home: nil, keys: nil,
      environment: [
        "HOME": "/home/ana", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
        "MUSTER_HOME": "/field/a", "MUSTER_KEYS": "/stick/a", "MUSTER_STATE": "/var/a",
      ])

    #expect(home.path == "/field/a")
    #expect(home.keysDirectory == "/stick/a")
    #expect(home.stateDirectory == "/var/a")
  }

  @Test func `a flag overrides its variable`() {
    let home = NodeHome.locate(
      home: "/flag/home/", keys: "/flag/keys/",
      environment: ["MUSTER_HOME": "/field/a", "MUSTER_KEYS": "/stick/a"])

    #expect(home.path == "/flag/home")
    #expect(home.keysDirectory == "/flag/keys")
  }

  @Test func `a relative flag is resolved from the working directory`() {
    let home = NodeHome.locate(home: ".demo/ana", keys: nil, environment: [:])

    #expect(home.path == FileManager.default.currentDirectoryPath + "/.demo/ana")
    #expect(home.keysDirectory == home.path + "/keys")
  }

  @Test func `only the owner can access the folders`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home("deep/home")

    try home.create()

    let folders = [
      scratch.path + "/deep", home.path, home.keysDirectory, home.dataDirectory, home.runDirectory,
    ]
    for folder in folders { #expect(try OnDisk.mode(of: folder) == 0o700) }
    // Creating it again changes nothing.
    try home.create()
    #expect(!FileManager.default.fileExists(atPath: home.stateDirectory))
  }

  @Test func `a home exists once its device has a key`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    #expect(!home.exists)
    try home.create()
    #expect(!home.exists)

    try home.keys.create(NodeHome.deviceKeyName, [1])

    #expect(home.exists)
  }

  @Test func `a file at a folder's path is rejected`() throws {
    let scratch = try ScratchFolder()
    let file = try scratch.file("home")

    #expect(throws: HomeError.notAFolder(file)) { try scratch.home().create() }
    #expect(throws: HomeError.notAFolder(file)) { try scratch.home("home/below/it").create() }
    #expect(HomeError.notAFolder(file).description.contains("choose another --home"))
  }

  @Test func `a home that other users can write to is rejected, not changed`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    try OnDisk.setMode(0o770, of: home.path)

    let refusal = HomeError.exposed(home.path, .unwritableByOthers)
    #expect(throws: refusal) { try home.create() }
    #expect(refusal.description.contains("run `chmod go-w \(home.path)`"))
    #expect(try OnDisk.mode(of: home.path) == 0o770)

    // Other users may read the home itself, but not its private folders.
    try OnDisk.setMode(0o755, of: home.path)
    try home.create()
    for folder in [home.keysDirectory, home.dataDirectory, home.runDirectory] {
      try OnDisk.setMode(0o750, of: folder)
      #expect(throws: HomeError.exposed(folder, .privateFolder)) { try home.create() }
      try OnDisk.setMode(0o700, of: folder)
    }
    try home.create()
  }

  @Test func `a sticky folder is no home, since others can put files there`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    #expect(chmod(home.path, 0o1777) == 0)
    #expect(throws: HomeError.exposed(home.path, .unwritableByOthers)) { try home.create() }
  }

  @Test func `what belongs to another user is refused, and root's is not`() throws {
    let scratch = try ScratchFolder()
    var status = stat()
    #expect(lstat(scratch.path, &status) == 0)
    for (owner, user, isRefused) in [(21, 21, false), (0, 21, false), (22, 21, true)]
      as [(uid_t, uid_t, Bool)]
    {
      status.st_uid = owner
      if isRefused {
        #expect(throws: HomeError.foreign("/h", owner: owner)) {
          try Folder.checkOwner(status, of: "/h", for: user)
        }
      } else {
        try Folder.checkOwner(status, of: "/h", for: user)
      }
    }
    #expect(HomeError.foreign("/h", owner: 22).description.contains("another user (id 22) owns"))
  }

  @Test(.enabled(if: OnDisk.isRoot, "only root gives files to others"))
  func `a file that another user put into the home is not read`() throws {
    let scratch = try ScratchFolder()
    let file = PrivateFile(in: scratch.path, name: "logins.json")
    #expect(try file.read() == nil)
    try file.write(Data("[]".utf8))
    #expect(try file.read() == Data("[]".utf8))
    #expect(chown(file.path, 21_002, 21_002) == 0)
    #expect(throws: PrivateFileFault.self) { try file.read() }
    #expect(chown(file.path, 0, 0) == 0)
    #expect(chmod(file.path, 0o666) == 0)
    #expect(throws: PrivateFileFault.self) { try file.read() }
    #expect(chmod(file.path, 0o600) == 0)
    let link = PrivateFile(in: scratch.path, name: "link.json")
    #expect(symlink(file.path, link.path) == 0)
    #expect(throws: PrivateFileFault.self) { try link.read() }
  }

  @Test(.disabled(if: OnDisk.isRoot, "nothing is refused to root"))
  func `a home that cannot be written to is refused`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    for unusable in [0o500, 0o300] {
      try OnDisk.setMode(unusable, of: home.path)
      defer { chmod(home.path, 0o700) }

      let refusal = HomeError.system(.use, path: home.path, code: EACCES)
      #expect(throws: refusal) { try home.create() }
      #expect(
        refusal.description.hasSuffix("check its owner and permissions, or choose another --home"))
    }
    try OnDisk.setMode(0o500, of: scratch.path)
    #expect(throws: HomeError.system(.make, path: scratch.path + "/new", code: EACCES)) {
      try scratch.home("new").create()
    }
    try OnDisk.setMode(0o700, of: scratch.path)
  }

  @Test func `a path too long for a socket is rejected before any folder is created`() throws {
    let scratch = try ScratchFolder()
    let home = scratch.home(String(repeating: "d", count: 100))

    #expect {
      try home.create()
    } throws: { error in
      guard case HomeError.longSocketPath(home.socketPath, let limit) = error else { return false }
      return limit < home.socketPath.utf8.count && "\(error)".contains("shorter path")
    }
    #expect(!FileManager.default.fileExists(atPath: home.path))
  }

  @Test func `every error is one line with a remedy`() {
    let refusals: [HomeError] = [
      .notAFolder("/x"), .notAFile("/x"), .exposed("/x", .privateFile), .occupied("/x"),
      .missing("/x"), .oversized("/x"), .inUse(home: "/x", pid: 7), .inUse(home: "/x", pid: nil),
      .longSocketPath("/x", limit: 107), .system(.write, path: "/x", code: ENOSPC),
      .system(.lock, path: "/x", code: ENOLCK), .system(.read, path: "/x", code: EIO),
    ]
    for refusal in refusals {
      #expect(refusal.description.contains("/x"))
      #expect(refusal.description.contains(": "))
      #expect(!refusal.description.contains("\n"))
    }
    #expect(
      HomeError.exposed("/Ana's keys", .privateFile).description.contains(
        #"chmod 600 '/Ana'\''s keys'"#))
  }
}
