// The symbols on the map, as cached images: shape, colour and mark.

const size = 26;
const made = new Map();
const colours = new Map();

const categories = { flood: "≈", chemical: "☣", structure: "⌂", medical: "✚", other: "!" };
/** Drawn as paths, since few laptops have fonts with these symbols; in a centred square of ten. */
const drawnMarks = {
  fire: "M0-5C1-2 4-1 4 2C4 4 2 5 0 5C-2 5-4 4-4 2C-4 0-3-1-2-2C-1.500 0-1 0-.5 0C-1-2-1-4 0-5Z",
  access: "M-4-1.500H4V1.500H-4Z",
};

/** A colour of the theme, cached because reading it from the browser is slow. */
export function colour(name) {
  let value = colours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, value);
  }
  return value;
}

/** Clears the caches after a change of the theme. */
export function forget() {
  made.clear();
  colours.clear();
}

/** How much larger symbols and labels are on a display on a wall, which is read from a distance. */
export let zoom = 1;
const wall = matchMedia("(min-width: 2560px)");
const adapt = () => {
  zoom = wall.matches ? 1.5 : 1;
  forget();
};
wall.addEventListener("change", adapt);
adapt();

function picture(key, side, draw) {
  let canvas = made.get(key);
  if (canvas) return canvas;
  const scale = (window.devicePixelRatio || 1) * zoom;
  canvas = document.createElement("canvas");
  canvas.width = canvas.height = side * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  draw(pen, side / 2);
  made.set(key, canvas);
  return canvas;
}

/** The sides of the symbols, in units of the zoom. */
export const memberSize = size;
export const clusterSize = 40;

/** The disc of a group, in the colour of the worst status, with the number of people. */
export function cluster(worst) {
  return picture(`cluster ${worst}`, clusterSize, (pen, c) => {
    pen.fillStyle = colour(worst);
    pen.strokeStyle = colour("panel");
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(c, c, 18, 0, 7);
    pen.fill();
    pen.stroke();
  });
}

/**
 * Danger is an octagon, warning a diamond, neutral a small disc, safe a disc; the letter shows the
 * status.
 */
export function member(state, letter, isStale) {
  return picture(`member ${state} ${letter} ${isStale}`, size, (pen, c) => {
    // Danger never fades; an outline marks an old position.
    pen.globalAlpha = isStale && state !== "danger" ? 0.55 : 1;
    pen.fillStyle = colour(state);
    pen.strokeStyle = colour("panel");
    pen.lineWidth = 2;
    pen.beginPath();
    if (state === "danger") polygon(pen, c, 8, 12, 0.5);
    else if (state === "warning") polygon(pen, c, 4, 12, 0);
    else pen.arc(c, c, state === "safe" ? 10 : 8, 0, 7);
    pen.fill();
    pen.stroke();
    if (isStale) {
      pen.lineWidth = 1;
      pen.setLineDash([1, 3]);
      pen.strokeStyle = colour("ink");
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.globalAlpha = 1;
    mark(pen, c, letter, state === "neutral" ? 10 : 13);
  });
}

/** A triangle with the category's symbol; grey if resolved. */
export function report(category, isOpen, toEvacuate) {
  return picture(`report ${category} ${isOpen} ${toEvacuate}`, size, (pen, c) => {
    pen.fillStyle = colour(!isOpen ? "faint" : toEvacuate ? "danger" : "warning");
    pen.strokeStyle = colour("panel");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(c, 1);
    pen.lineTo(size - 1, size - 3);
    pen.lineTo(1, size - 3);
    pen.closePath();
    pen.fill();
    pen.stroke();
    const outline = drawnMarks[category];
    if (!outline) return mark(pen, c, categories[category] ?? "!", 12, 4);
    pen.translate(c, c + 4);
    pen.fillStyle = colour("panel");
    pen.fill(new Path2D(outline));
  });
}

/** The first corner is `turn` sides from the right. */
function polygon(pen, c, corners, radius, turn) {
  for (let i = 0; i < corners; i++) {
    const angle = 2 * Math.PI * (i + turn) / corners;
    pen.lineTo(c + radius * Math.cos(angle), c + radius * Math.sin(angle));
  }
  pen.closePath();
}

function mark(pen, c, text, height, lower = 1) {
  pen.fillStyle = colour("panel");
  pen.font = `bold ${height}px "DejaVu Sans", sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, c, c + lower);
}
