/// What Python programs that pass connections on have in common.
enum PythonRelay {
  /// `relay` passes on bytes of two sockets in both directions until one ends; `Server` serves each
  /// connection on a thread. Needs `socket`, `socketserver` and `threading`.
  static let source = """
    def pour(source, target):
        try:
            while (data := source.recv(65536)):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
    def relay(near, far):
        threading.Thread(target=pour, args=(far, near), daemon=True).start()
        pour(near, far)
    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
    """
}
