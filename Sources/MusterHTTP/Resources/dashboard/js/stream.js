// Subscribes to the node. The browser resumes at the last position (Last-Event-ID). If it has given
// up, the subscription restarts and everything is reloaded.

const again = 2000;

/**
 * @param onStart receives the change count of each set at the start of the stream.
 * @param onChange receives each notice: dataset, syncCount, rows.
 * @param onLink receives true with the first event after silence, false when the connection is lost.
 */
export function follow(onStart, onChange, onLink) {
  let source;
  function open() {
    source = new EventSource("/api/v1/stream");
    source.addEventListener("open", () => onLink(true));
    source.addEventListener("counts", (event) => onStart(JSON.parse(event.data)));
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      onLink(false);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, again);
    });
  }
  open();
}
