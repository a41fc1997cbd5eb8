// The sounds of alarms, in the manner of IEC 60601-1-8: a burst of ten pulses for life, of three for
// danger, of two for a warning, none for a message. Browsers allow sound only after a user interaction.

let context = null;
let muted = localStorage.getItem("muted") === "yes";
const listeners = [];

export const isMuted = () => muted;

/** Returns whether sound is enabled but blocked by the browser. */
export const isSilent = () => !muted && context?.state !== "running";

/** Calls `work` whenever sound becomes allowed, blocked or silenced. */
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

// MARK: Silence

/** The longest silence, in milliseconds. */
const longestSilence = 120000;
let silentUntil = 0;

/** Seconds of silence that are left; 0 if it sounds. */
export const silenceLeft = () => Math.max(0, Math.ceil((silentUntil - Date.now()) / 1000));

/** Silences all alarms for two minutes; a new call for help ends it. */
export function silenceForAWhile() {
  silentUntil = Date.now() + longestSilence;
  changed();
}

export function endSilence() {
  if (silentUntil === 0) return;
  silentUntil = 0;
  changed();
}

// MARK: Patterns

/** The time between repetitions while an alarm waits for an acknowledgement, in milliseconds. */
export const repetition = { life: 15000, danger: 60000 };

const c = [523, 659, 784];
/** Pulses as frequency and start in seconds. */
const patterns = {
  life: [c[0], c[1], c[2], c[1], c[0], c[0], c[1], c[2], c[1], c[0]].map((hertz, i) => [
    2 * hertz, [0, 0.15, 0.3, 0.6, 0.75][i % 5] + (i > 4 ? 1.4 : 0)]),
  danger: [c[0], c[1], c[2]].map((hertz, i) => [1.5 * hertz, 0.25 * i]),
  warning: [[c[1], 0], [c[0], 0.3]],
};
const lengths = { life: 0.12, danger: 0.18, warning: 0.22 };

/** Plays the pattern of a priority, if there is one. */
export function sound(priority) {
  if (isMuted() || isSilent() || silenceLeft() > 0) return;
  for (const [hertz, at] of patterns[priority] ?? []) {
    const start = context.currentTime + at;
    const tone = new OscillatorNode(context, { frequency: hertz, type: "square" });
    const volume = new GainNode(context, { gain: 0.12 });
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + lengths[priority]);
  }
}
