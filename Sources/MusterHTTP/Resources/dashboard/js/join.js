// The page that a phone opens by a QR code: it shows the fingerprint of the certificate, or the
// invite, that the code contains.

const digits = location.hash.slice(1);
if (/^[0-9A-F]{64}$/.test(digits)) {
  document.getElementById("mark").textContent = digits.match(/../g).join(":");
}
const invite = location.hash.match(/^#invite=([\w-]+)$/)?.[1];
if (invite) {
  // It is a secret: it stays in no history.
  history.replaceState(null, "", location.pathname);
  const url = `muster://join/${invite}`;
  document.getElementById("open").href = url;
  const command = document.getElementById("command");
  command.textContent = `muster join '${url}' --callsign NAME`;
  document.getElementById("copy").addEventListener("click", ({ target }) => {
    // Where the browser permits no copy, the user makes one of the selection.
    getSelection().selectAllChildren(command);
    navigator.clipboard?.writeText(command.textContent)
      .then(() => { target.textContent = target.dataset.done; }, () => {});
  });
  document.getElementById("invite").hidden = false;
}
