// Reads positions as `CoordinateText` of the node does, and writes MGRS.

const radius = 6378137;
const flattening = 1 / 298.257223563;
const e2 = flattening * (2 - flattening);
const e = Math.sqrt(e2);
const n = flattening / (2 - flattening);
const rectifying = 0.9996 * radius / (1 + n) * (1 + n ** 2 / 4 + n ** 4 / 64 + n ** 6 / 256);
const bands = "CDEFGHJKLMNPQRSTUVWX";
const columns = ["ABCDEFGH", "JKLMNPQR", "STUVWXYZ"];
const rows = "ABCDEFGHJKLMNPQRSTUV";

// Krüger's series to the sixth order (Karney 2011, equation 36).
const series = [
  [1 / 2, -2 / 3, 37 / 96, -1 / 360, -81 / 512, 96199 / 604800],
  [1 / 48, 1 / 15, -437 / 1440, 46 / 105, -1118711 / 3870720],
  [17 / 480, -37 / 840, -209 / 4480, 5569 / 90720],
  [4397 / 161280, -11 / 504, -830251 / 7257600],
  [4583 / 161280, -108847 / 3991680],
  [20648693 / 638668800],
].map((factors, at) => factors.reduce((sum, one, power) => sum + one * n ** (at + 1 + power), 0));

/** By how much the series moves a point of the plane. */
const differences = (xi, eta) => series.reduce(([x, y], factor, at) => {
  const multiple = 2 * (at + 1);
  return [x + factor * Math.sin(multiple * xi) * Math.cosh(multiple * eta),
    y + factor * Math.cos(multiple * xi) * Math.sinh(multiple * eta)];
}, [0, 0]);

/** The tangent of the conformal latitude. */
function conformal(tangent) {
  const secant = Math.hypot(1, tangent);
  const sigma = Math.sinh(e * Math.atanh(e * tangent / secant));
  return tangent * Math.hypot(1, sigma) - sigma * secant;
}

/** A position from metres in a zone; null outside the zone or the latitudes. */
function unprojected(zone, isNorth, easting, northing, [south, north] = [-80.5, 84.5]) {
  if (zone < 1 || zone > 60 || easting < 1e5 || easting > 9e5 || northing > 1e7) return null;
  const xi = (northing - (isNorth ? 0 : 1e7)) / rectifying;
  const eta = (easting - 5e5) / rectifying;
  const [dx, dy] = differences(xi, eta);
  const [x, y] = [xi - dx, eta - dy];
  const wanted = Math.sin(x) / Math.hypot(Math.sinh(y), Math.cos(x));
  let tangent = wanted;
  for (let round = 0; round < 5; round += 1) {
    const reached = conformal(tangent);
    tangent += (wanted - reached) * (1 + (1 - e2) * tangent ** 2)
      / ((1 - e2) * Math.hypot(1, tangent) * Math.hypot(1, reached));
  }
  const lat = Math.atan(tangent) * 180 / Math.PI;
  const offset = Math.atan2(Math.sinh(y), Math.cos(x)) * 180 / Math.PI;
  if (lat < south || lat > north || Math.abs(offset) > 6.5) return null;
  const lon = zone * 6 - 183 + offset;
  return { lat, lon: lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon };
}

/** Zone, easting and northing (metres). */
function projected(lat, lon) {
  let zone = Math.min(60, Math.floor((lon + 180) / 6) + 1);
  if (lat >= 56 && lat < 64 && lon >= 3 && lon < 12) zone = 32;
  if (lat >= 72 && lon >= 0 && lon < 42) zone = lon < 9 ? 31 : lon < 21 ? 33 : lon < 33 ? 35 : 37;
  const offset = (lon - (zone * 6 - 183)) * Math.PI / 180;
  const tangent = conformal(Math.tan(lat * Math.PI / 180));
  const x = Math.atan2(tangent, Math.cos(offset));
  const y = Math.asinh(Math.sin(offset) / Math.hypot(tangent, Math.cos(offset)));
  let [xi, eta] = [x, y];
  // Inverts the series: each round leaves less than a hundredth of the error.
  for (let round = 0; round < 8; round += 1) {
    const [dx, dy] = differences(xi, eta);
    [xi, eta] = [x + dx, y + dy];
  }
  return [zone, 5e5 + rectifying * eta, rectifying * xi + (lat < 0 ? 1e7 : 0)];
}

/** MGRS to the metre; null near the poles, where MGRS uses other letters. */
export function mgrs(lat, lon) {
  if (lat < -80 || lat > 84) return null;
  const [zone, east, north] = projected(lat, lon);
  const band = bands[Math.min(19, Math.floor((lat + 80) / 8))];
  const column = columns[(zone - 1) % 3][Math.floor(east / 1e5) - 1];
  const row = rows[(Math.floor(north / 1e5) + (zone % 2 ? 0 : 5)) % 20];
  const digits = (metres) => String(Math.floor(metres % 1e5)).padStart(5, "0");
  return `${zone}${band} ${column}${row} ${digits(east)} ${digits(north)}`;
}

function inBand(zone, band, easting, northing) {
  const at = bands.indexOf(band);
  const south = at * 8 - 80;
  const north = south + (at === 19 ? 12 : 8);
  return unprojected(zone, at >= 10, easting, northing, [south - 0.5, north + 0.5]);
}

/** The centre of a square of MGRS; null if there is none. */
function square(zone, band, letters, digits) {
  const column = columns[(zone + 2) % 3].indexOf(letters[0]);
  const row = rows.indexOf(letters[1]);
  if (column < 0 || row < 0 || digits.length % 2 || digits.length < 2) return null;
  const half = digits.length / 2;
  const size = 10 ** (5 - half);
  const east = (column + 1) * 1e5 + (Number(digits.slice(0, half)) + 0.5) * size;
  const first = (row + (zone % 2 === 0 ? 15 : 0)) % 20 * 1e5;
  for (let cycle = 0; cycle < 5; cycle += 1) {
    const north = first + cycle * 2e6 + (Number(digits.slice(half)) + 0.5) * size;
    const found = inBand(zone, band, east, north);
    if (found) return found;
  }
  return null;
}

const number = "\\d+(?:\\.\\d+)?";
const metres = new RegExp(
  `^(\\d{1,2}) ?([C-HJ-NP-X]|NORTH|SOUTH)[ ,]*(${number})M?E?[ ,;]+(${number})M?N?$`);
const reference = /^(\d{1,2}) ?([C-HJ-NP-X]) ?([A-Z]) ?([A-Z])([\d ]+)$/;

const within = (lat, lon) => Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;

// Links by what they contain, the marked place before the view; N is a number.
const links = ["!3dN!4dN(?!.*!3d)", "[?&]mlat=N&mlon=N",
  "[?&](?:q|query|coordinate|destination|daddr|pin|ll|center|cp)=(?:loc:)?N[,~][ +]*N",
  "/N,[ +]*N(?=[/?]|$)", "^geo:(?!0,0\\?q)N,N", "@N,N", "#[^#/]*/N/N",
].map((form) => new RegExp(form.replaceAll("N", "(-?\\d+\\.?\\d*)"), "i"));

function readLink(link) {
  const text = link.replace(/%2C/gi, ",").replaceAll("%20", " ");
  const match = links.map((form) => form.exec(text)).find(Boolean);
  return match ? within(Number(match[1]), Number(match[2])) : null;
}

/** With points for the commas between two digits, unless there are points. */
const withPoints = (text) => text.includes(".") ? text : text.replace(/(?<=\d),(?=\d)/g, ".");

/** A position in any of the formats; null if the text is in none of them. */
export function readCoordinates(text) {
  if (/^\s*(geo:|https?:\/\/)/i.test(text)) return readLink(text.trim());
  const clean = text.toUpperCase().replace(/[\u200e\u200f\ufeff]/g, "")
    .replace(/\s*[º˚°]/g, "°").replace(/[′’]/g, "'").replace(/[″”]/g, '"')
    .replace(/[\u2212\u2010\u2011\u2013\ufe63\uff0d]/g, "-").replace(/[()[\]\s]+/g, " ").trim();
  if (clean.length > 100) return null;
  const utm = metres.exec(clean);
  if (utm && Number(utm[3]) >= 1e5) {
    const [zone, east, north] = [utm[1], utm[3], utm[4]].map(Number);
    return utm[2].length > 1 ? unprojected(zone, utm[2] === "NORTH", east, north)
      : inBand(zone, utm[2], east, north);
  }
  const grid = reference.exec(clean);
  if (grid) {
    const digits = grid[5].replaceAll(" ", "");
    const zone = Number(grid[1]);
    return digits.length <= 10 && zone >= 1 && zone <= 60
      ? square(zone, grid[2], grid[3] + grid[4], digits) : null;
  }
  // Signs stand for the letters of two angles that have none.
  const signed = /^([+-]?)([^°]*°[^°]*?)[,; ]*([+-]?)([\d.,]+°[^°]*)$/.exec(clean);
  if (/[NSEW]/.test(clean)) return angles(withPoints(clean));
  if (signed) {
    const [, south, lat, west, lon] = signed;
    return angles(withPoints(`${lat}${south === "-" ? "S" : "N"}${lon}${west === "-" ? "W" : "E"}`));
  }
  const isComma = /^[+-]?\d+,\d+,?[; ]+[+-]?\d+,\d+$/.test(clean);
  const plain = /^([+-]?\d+\.?\d*)[,; ]+([+-]?\d+\.?\d*)$/.exec(
    isComma ? withPoints(clean) : clean);
  return plain && within(Number(plain[1]), Number(plain[2]));
}

/** Two angles with the letters of their hemispheres, before or behind both of them. */
function angles(text) {
  const parts = text.split(/([NSEW])/);
  const isPrefix = parts[0] === "";
  const [left, right] = isPrefix ? [[parts[1], parts[2]], [parts[3], parts[4]]]
    : [[parts[1], parts[0]], [parts[3], parts[2]]];
  if (parts.length !== 5 || (!isPrefix && parts[4].trim() !== "")) return null;
  const vertical = [left, right].find(([letter]) => "NS".includes(letter));
  const horizontal = [left, right].find(([letter]) => "EW".includes(letter));
  if (!vertical || !horizontal) return null;
  const [lat, lon] = [degrees(vertical[1]), degrees(horizontal[1])];
  if (lat === null || lon === null || lat > 90 || lon > 180) return null;
  return { lat: vertical[0] === "S" ? -lat : lat, lon: horizontal[0] === "W" ? -lon : lon };
}

function degrees(text) {
  const marks = text.replace(/[^°'"]/g, "");
  const given = text.split(/[°'",;: ]+/).filter(Boolean);
  const isAngle = ["", "°", "°'", "°'\""].includes(marks) && marks.length <= given.length
    && given.length >= 1 && given.length <= 3 && given.every((one) => /^\d+(\.\d+)?$/.test(one))
    && given.slice(0, -1).every((one) => !one.includes("."))
    && given.slice(1).every((one) => Number(one) < 60);
  return isAngle ? given.reduce((sum, one, at) => sum + Number(one) / 60 ** at, 0) : null;
}
