// A sound for what is new and urgent. A browser lets a page sound only after it was touched.

let context = null;
let muted = localStorage.getItem("muted") === "yes";
const listeners = [];

export const isMuted = () => muted;

/** Whether a sound would not be heard, though somebody wants it. */
export const isSilent = () => !muted && context?.state !== "running";

/** Calls `work` whenever sound has become possible or impossible. */
export function onSound(work) { listeners.push(work); }
const changed = () => { for (const work of listeners) work(); };

export function mute(value) {
  muted = value;
  localStorage.setItem("muted", value ? "yes" : "no");
  if (!muted) wake();
  changed();
}

/** After a click or a key, the browser allows it. */
export async function wake() {
  if (context === null) {
    context = new AudioContext();
    context.addEventListener("statechange", changed);
  }
  if (context.state !== "running") await context.resume();
}

// Where the browser needs no touch (a screen on a wall), at once.
wake().catch(() => {});
for (const touch of ["pointerdown", "keydown"]) {
  document.addEventListener(touch, () => { wake().catch(() => {}); });
}

/** Two tones; three high ones for danger. */
export function sound(isDanger) {
  if (isMuted() || isSilent()) return;
  const tones = isDanger ? [880, 1175, 880] : [523, 659];
  tones.forEach((hertz, index) => {
    const start = context.currentTime + index * 0.22;
    const tone = new OscillatorNode(context, { frequency: hertz, type: "square" });
    const volume = new GainNode(context, { gain: 0.12 });
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.18);
  });
}
