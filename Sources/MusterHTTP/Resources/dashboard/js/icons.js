// The icons of the rail and of the tools of the map, as lines in a square of 24.

import { svg } from "./dom.js";

const lines = {
  people: "M8 11a3 3 0 1 0 0-6a3 3 0 0 0 0 6zM2 19c0-4 3-6 6-6s6 2 6 6M16 5a3 3 0 0 1 0 6M18 13c3 1 4 3 4 6",
  map: "M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14",
  reports: "M12 3l10 18H2zM12 9v6M12 18v.1",
  fences: "M5 4l14 3-2 13-13-4z",
  orders: "M3 10v4h4l8 5V5l-8 5zM18 9c2 2 2 4 0 6",
  timers: "M12 5a8 8 0 1 0 0 16a8 8 0 0 0 0-16zM12 9v4l3 2M9 2h6",
  team: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4",
  mesh: "M12 7a2 2 0 1 0 0-4a2 2 0 0 0 0 4zM5 20a2 2 0 1 0 0-4a2 2 0 0 0 0 4zM19 20a2 2 0 1 0 0-4a2 2 0 0 0 0 4zM11 7l-5 9M13 7l5 9M7 18h10",
  layers: "M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5",
  feed: "M6 17v-6a6 6 0 0 1 12 0v6l2 1H4zM10 21h4",
  me: "M12 11a4 4 0 1 0 0-8a4 4 0 0 0 0 8zM4 21c0-5 4-7 8-7s8 2 8 7",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  in: "M12 5v14M5 12h14",
  out: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  find: "M10 17a7 7 0 1 0 0-14a7 7 0 0 0 0 14zM15 15l6 6",
  here: "M12 2v5M12 17v5M2 12h5M17 12h5M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8z",
  measure: "M3 17L17 3l4 4L7 21zM7 13l2 2M10 10l2 2M13 7l2 2",
  rings: "M12 11.500a.5.5 0 1 0 0 1M12 7a5 5 0 1 0 0 10a5 5 0 0 0 0-10zM12 2a10 10 0 1 0 0 20a10 10 0 0 0 0-20z",
  circle: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16zM12 12v.1",
  replay: "M4 12a8 8 0 1 1 2.500 5.800M3 20l3.500-2.200L9 21M12 8v4l3 2",
  mute: "M4 9v6h4l5 4V5L8 9zM16 9l6 6M22 9l-6 6",
  close: "M6 6l12 12M18 6L6 18",
};

export const icon = (name) => svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
  svg("path", { d: lines[name] }));
