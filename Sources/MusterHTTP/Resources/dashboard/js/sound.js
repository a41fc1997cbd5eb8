// A sound for what is new and urgent. A page may sound only after it was touched.

let context = null;
let muted = localStorage.getItem("muted") === "yes";

export const isMuted = () => muted;

export function mute(value) {
  muted = value;
  localStorage.setItem("muted", value ? "yes" : "no");
}

document.addEventListener("pointerdown", () => { context ??= new AudioContext(); }, { once: true });

/** Two tones; three high ones for danger. */
export function sound(isDanger) {
  if (muted || !context) return;
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
