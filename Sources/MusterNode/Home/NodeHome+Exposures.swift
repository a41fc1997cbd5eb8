internal import Foundation

extension NodeHome {
  /// What others can get at though it is this user's alone, and what stands where it should not;
  /// nothing of what is not there yet. Changes nothing.
  public func exposures() -> [HomeError] {
    let folders: [(String, Folder.Openness)] = [
      (path, .unwritableByOthers), (keysDirectory, .ownerOnly), (dataDirectory, .ownerOnly),
      (runDirectory, .ownerOnly),
    ]
    var faults: [HomeError] = []
    for (folder, openness) in folders where access(folder, F_OK) == 0 {
      do throws(HomeError) {
        try Folder.check(folder, openness)
      } catch {
        faults.append(error)
      }
    }
    return faults + exposedKeys
  }

  /// Returns why the state folder cannot be written, and what to do, in one line; nil where it can.
  /// Changes nothing: a folder that is not there counts by the nearest one above it.
  public func stateFolderProblem() -> String? {
    var folder = stateDirectory
    while folder != "/", access(folder, F_OK) != 0, errno == ENOENT {
      folder = (folder as NSString).deletingLastPathComponent
    }
    do throws(HomeError) {
      if folder == stateDirectory { try Folder.check(folder, .unwritableByOthers) }
      guard access(folder, W_OK | X_OK) == 0 else {
        throw .system(.use, path: folder, code: errno)
      }
      return nil
    } catch {
      return SentinelFiles.words(for: error, directory: stateDirectory)
    }
  }

  private var exposedKeys: [HomeError] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: keysDirectory)
    } catch {
      // Not there, or not ours to look into, which the folder's own check tells.
      return []
    }
    return names.sorted().compactMap { name -> HomeError? in
      var status = stat()
      let file = keysDirectory + "/" + name
      guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_mode & 0o077 != 0
      else { return nil }
      return .exposed(file, .privateFile)
    }
  }
}
