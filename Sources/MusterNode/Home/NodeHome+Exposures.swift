internal import Foundation

extension NodeHome {
  /// Returns the private paths that other users can access, and those of the wrong type; ignores
  /// missing ones. Changes nothing.
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

  /// Returns why the state folder cannot be written, and what to do, in one line; nil if it can.
  /// Changes nothing: a missing folder is judged by its nearest existing parent.
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
      // Missing, or not readable by this user, which the folder's own check reports.
      return []
    }
    return names.sorted().compactMap { name -> HomeError? in
      var status = stat()
      let file = keysDirectory + "/" + name
      guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      do throws(HomeError) { try Folder.checkOwner(status, of: file) } catch { return error }
      guard status.st_mode & 0o077 != 0 else { return nil }
      return .exposed(file, .privateFile)
    }
  }
}
