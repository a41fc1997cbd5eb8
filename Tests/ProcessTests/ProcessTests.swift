import Testing

/// The program as people use it: real processes of the built `muster`, real sockets on loopback,
/// real databases. One story at a time, since each loads a small machine by itself.
@Suite(.serialized, .timeLimit(.minutes(15)))
enum ProcessTests {}
