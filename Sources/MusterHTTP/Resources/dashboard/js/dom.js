// The only place that creates elements. Data from the network only becomes text, or an attribute
// that no browser executes.

const runs = /^(on|src|href|style|srcdoc|formaction)/i;

/** An element; `props` are attributes, or listeners where the name begins with "on". */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (name === "value" || name === "checked" || name === "disabled") {
      element[name] = value;
    } else if (!runs.test(name)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** Addresses of this node's own files, of a file that the user chose, of phones and their app. */
const own = /^(\/api\/v1\/[\w%./-]+|blob:|tel:\+?\d+$|owntracks:\/\/\/config\?inline=[\w%]+$)/;

/** A picture of this node. */
export function image(path, props) {
  const element = h("img", { decoding: "async", ...props });
  if (own.test(path)) element.src = path;
  return element;
}

/** A link to a file of this node, or to a phone. */
export function link(path, props, ...children) {
  const element = h("a", props, ...children);
  if (own.test(path)) element.href = path;
  return element;
}

/** A button; `key` is its `data-key`. */
export const button = (word, key, onclick, more) =>
  h("button", { ...more, "data-key": key, onclick }, word);

/** The texts that exist, in one line. */
export const dotted = (...texts) => texts.filter(Boolean).join(" · ");

/** A line in a fainter colour. */
export const faint = (...words) => h("p", { class: "faint" }, ...words);

export const byId = (id) => document.getElementById(id);

/** The element under a pressed pointer; what it is in is redrawn after the click. */
let [pressed, since] = [null, 0];
const longest = 2000;
const postponed = new Map();
addEventListener("pointerdown", ({ target }) => {
  [pressed, since] = [target, Date.now()];
}, true);
for (const name of ["click", "pointerup", "pointercancel"]) {
  addEventListener(name, () => {
    if (name === "click") pressed = null;
    setTimeout(() => {
      pressed = null;
      for (const [container, children] of postponed) fill(container, ...children);
    });
  }, true);
}

/** Replaces all children; the focused element keeps the focus, by `data-key`. */
export function fill(container, ...children) {
  postponed.delete(container);
  const isPressed = Date.now() - since < longest && container.contains(pressed);
  if (isPressed) return postponed.set(container, children);
  const active = document.activeElement;
  const key = container.contains(active) ? active.dataset.key : undefined;
  container.replaceChildren(...children.flat(2).filter(Boolean));
  if (key) {
    for (const one of container.querySelectorAll("[data-key]")) {
      if (one.dataset.key === key) return one.focus({ preventScroll: true });
    }
  }
}

/** Returns the focus to an element, or to the one that replaced it, or to the map. */
export function focusAgain(element) {
  const key = element?.dataset?.key;
  const again = element?.isConnected && element.offsetWidth > 0 ? element
    : key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  (again || byId("map")).focus({ preventScroll: true });
}

/** Sets the children to `wanted`, and leaves those in the right place untouched. */
export function arrange(container, wanted) {
  let at = container.firstChild;
  for (const one of wanted) {
    if (one === at) at = at.nextSibling;
    else container.insertBefore(one, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Runs `work` at most once per frame. */
export function onceAFrame(work) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    // A background page gets no frames, and must still be current when it is shown.
    (document.hidden ? (f) => setTimeout(f, 200) : requestAnimationFrame)(() => {
      waits = false;
      work();
    });
  };
}

/** As `onceAFrame`, but after that frame is on the screen. */
export function afterAFrame(work) {
  let waits = false;
  const soon = onceAFrame(() => setTimeout(() => {
    waits = false;
    work();
  }));
  return () => {
    if (waits) return;
    waits = true;
    soon();
  };
}

const ns = "http://www.w3.org/2000/svg";
const paths = {
  safe: ["M12 2a10 10 0 1 0 0 20a10 10 0 0 0 0-20z", "M7 12l4 4 6-8"],
  danger: ["M8 2h8l6 6v8l-6 6H8l-6-6V8z", "M12 6v8M12 17v1.5"],
  warning: ["M12 1l11 11-11 11L1 12z", "M12 6.5v7M12 16v1.5"],
  report: ["M12 2l11 19H1z", "M12 8v6.500M12 16.500v1.500"],
  neutral: ["M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16z", "M8 12h8"],
};

/** An SVG element. */
export function svg(tag, props, ...children) {
  const element = document.createElementNS(ns, tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
  element.append(...children.flat(2).filter(Boolean));
  return element;
}

/** The symbol of a state: its own shape and colour, with a letter or else a mark. */
export function sign(state, letter) {
  const [outline, mark] = paths[state] ?? paths.neutral;
  return svg("svg", { viewBox: "0 0 24 24", class: "sign", "aria-hidden": "true" },
    svg("path", { d: outline, fill: "currentColor" }),
    letter ? svg("text", {
      x: 12, y: 16.5, fill: "var(--panel)", "text-anchor": "middle", "font-size": 13,
      "font-weight": 700,
    }, letter)
      : svg("path", { d: mark, fill: "none", stroke: "var(--panel)", "stroke-width": 2.5 }));
}

let silence;
/** Shows a result for some seconds, also to a screen reader; `undo` reverts the action. */
export function say(text, undo) {
  fill(byId("said"), h("span", {}, text),
    undo && button(undo.word, "undo", () => { quiet(); undo.work(); }));
  clearTimeout(silence);
  silence = setTimeout(quiet, undo ? 15000 : 6000);
}
function quiet() {
  fill(byId("said"));
  if (notices.length > 0) say(notices.splice(0).slice(-mostNotices).join(" · "));
}

const mostNotices = 3;
const notices = [];
/** Shows notices like a result, but after the current one, whose undo remains available. */
export function announce(texts) {
  notices.push(...texts);
  if (byId("said").childElementCount === 0) quiet();
}
