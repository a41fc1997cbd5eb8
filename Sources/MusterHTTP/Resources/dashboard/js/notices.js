// Notifications of the browser for new alerts, while the page is not in view. They stay until they are
// closed for danger. A browser shows none for a page whose certificate it does not trust.

let isOn = localStorage.getItem("notices") === "on";
const permission = () => window.Notification?.permission ?? "denied";

/** The state, as the key of a text. */
export function noticeState() {
  if (permission() === "denied") return { word: "notices.blocked", isOn: false };
  const isShown = isOn && permission() === "granted";
  return { word: isShown ? "notices.on" : "notices.off", isOn: isShown };
}

/** Switches them on or off; the browser asks its user the first time. */
export async function switchNotices(changed) {
  isOn = !noticeState().isOn;
  if (isOn && permission() === "default") await Notification.requestPermission();
  localStorage.setItem("notices", isOn ? "on" : "off");
  changed();
}

/** @param alerts each with `id`, `level` or priority, and its text. */
export function notify(alerts) {
  if (!document.hidden || !noticeState().isOn) return;
  for (const { id, level, text } of alerts) {
    const one = new Notification(text, {
      tag: id, renotify: true, icon: "/dashboard/icon.svg", requireInteraction: ["life", "danger"].includes(level),
    });
    one.addEventListener("click", () => {
      window.focus();
      one.close();
    });
  }
}
