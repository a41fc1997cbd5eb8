// Follows the node. The browser brings back the place where it was by itself (Last-Event-ID); where
// it gave up, we begin anew and everything is loaded again.

const again = 2000;

/**
 * @param onChange told each notice: dataset, syncCount, rows.
 * @param onLink told true with the first word after silence, false when the link is lost.
 */
export function follow(onChange, onLink) {
  let source;
  function open() {
    source = new EventSource("/api/v1/stream");
    source.addEventListener("open", () => onLink(true));
    source.addEventListener("change", (event) => onChange(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      onLink(false);
      if (source.readyState === EventSource.CLOSED) setTimeout(open, again);
    });
  }
  open();
  return {
    /** For a link that stands by its looks only. */
    reopen() {
      source.close();
      open();
    },
  };
}
