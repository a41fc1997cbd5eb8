// Follows the node. The browser brings back the place where it was by itself (Last-Event-ID); where
// it gave up, we begin anew and everything is loaded again.

const again = 2000;

/**
 * @param onStart told how often each set had changed when the stream began.
 * @param onChange told each notice: dataset, syncCount, rows.
 * @param onLink told true with the first word after silence, false when the link is lost.
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
