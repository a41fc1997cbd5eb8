// The sound for new urgent alerts. Browsers allow sound only after a user interaction.

let context = null;
let muted = localStorage.getItem("muted") === "yes";
const listeners = [];

export const isMuted = () => muted;

/** Returns whether sound is enabled but blocked by the browser. */
export const isSilent = () => !muted && context?.state !== "running";

/** Calls `work` whenever sound becomes allowed or blocked. */
export function onSound(work) { listeners.push(work); }
const changed = () => { for (const work of listeners) work(); };

export function mute(value) {
  muted = value;
  localStorage.setItem("muted", value ? "yes" : "no");
  if (!muted) wake();
  changed();
}

/** The browser allows sound after a click or a key. */
export async function wake() {
  if (context === null) {
    context = new AudioContext();
    context.addEventListener("statechange", changed);
  }
  if (context.state !== "running") await context.resume();
}

// At once if the browser requires no interaction (a wall display).
wake().catch(() => {});
for (const touch of ["pointerdown", "keydown"]) {
  document.addEventListener(touch, () => { wake().catch(() => {}); });
}

/** Plays two tones, or three high tones for danger. */
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
