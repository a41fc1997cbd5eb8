// Requests to the node. Every failure becomes one kind of error, with a message for users.

const root = "/api/v1/";
const patience = 15000;

let stranger = () => {};
/** Calls `work` whenever the node answers that no user is logged in. */
export function onStranger(work) { stranger = work; }

let ask = async () => false;
/** Calls `work` whenever the node asks for the passphrase again: it returns whether it was right. */
export function onLocked(work) { ask = work; }
/** Asks for the passphrase again. Returns whether it was right. */
export const unlock = () => ask();

/** An error of the node, or no answer. */
export class Refusal extends Error {
  constructor(status, message, type) {
    super(message);
    this.status = status;
    this.isLocked = type === "urn:muster:problem:locked";
  }
}

/** While a call for help waits, one load at a time is under way, and none that hangs: it needs a connection. */
const [mostLoads, hanging] = [1, 2000];
let isCalling = false;
/** When the node answered last. */
let answeredAt = 0;
const loads = new Map();
export function giveWay(isNow) {
  isCalling = isNow;
  if (!isNow) return;
  for (const [load, since] of loads) if (performance.now() - since > hanging) load.abort();
}

async function send(method, path, body, more, time = patience, controller = new AbortController()) {
  const headers = { Accept: "application/json", ...more };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = isFile ? fileType : "application/json";
  const isLoad = method === "GET" && path !== "session";
  if (isLoad && isCalling && loads.size >= mostLoads) throw new Refusal(0, "a call for help is sent first");
  if (isLoad) loads.set(controller, performance.now());
  setTimeout(() => controller.abort(new Error("no answer")), isFile ? uploadPatience : time);
  let response;
  try {
    response = await fetch(root + path, {
      // Leaving the page does not end a deletion.
      method, headers, signal: controller.signal, keepalive: method === "DELETE",
      body: body === undefined || isFile ? body : JSON.stringify(body),
    });
  } catch (error) {
    throw new Refusal(0, String(error?.message ?? error));
  } finally {
    loads.delete(controller);
  }
  answeredAt = Date.now();
  if (response.status === 401) stranger();
  if (!response.ok) throw refusal(response.status, await response.text());
  return response;
}

/** Returns whether the node answers anything within `time` milliseconds; not asked while a call for help waits. */
export async function answers(time) {
  if (isCalling) return true;
  const sent = Date.now();
  try {
    await fetch(`${root}changes`, { signal: AbortSignal.timeout(time), cache: "no-store" });
    return true;
  } catch {
    return answeredAt >= sent;
  }
}

function refusal(status, text) {
  try {
    const problem = JSON.parse(text);
    const why = [problem.detail ?? problem.title, problem.place].filter(Boolean).join(" — ");
    return new Refusal(status, why, problem.type);
  } catch {
    return new Refusal(status, `${status} ${text.slice(0, 200)}`);
  }
}

/** @param time the milliseconds to wait for the answer. */
export async function get(path, time) {
  return (await send("GET", path, undefined, {}, time)).json();
}

/** Returns one row with its version, for a later `write`. */
export async function getVersioned(path) {
  const response = await send("GET", path);
  return { row: await response.json(), version: response.headers.get("ETag") };
}

/** Returns all pages of a list. */
export async function list(path) {
  const items = [];
  let cursor = null;
  do {
    const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await get(`${path}?limit=10000${after}`);
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return items;
}

/** Writes and returns the answer; with `version`, only if the row is still at that version. */
export async function write(method, path, body, version) {
  const now = async () => parsed(
    await send(method, path, body, version ? { "If-Match": version } : {}));
  try {
    return await now();
  } catch (error) {
    if (!error.isLocked || !await ask()) throw error;
    return now();
  }
}

async function parsed(response) {
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/**
 * Sends an entry of the queue, which the node performs once however often it is sent: by its key, or
 * by the time of a position.
 * @param controller ends the attempt. @param time the milliseconds to wait for the answer.
 */
export const transmit = async ({ kind, method, path, body, key, at, login }, controller, time) => parsed(
  await send(method, path, body, {
    ...(kind === "position" ? {} : { "Idempotency-Key": key }),
    // Another page may have changed the session.
    ...(login ? { "Muster-Login": encodeURIComponent(login) } : {}),
    // An OK that arrives after a later call does not cancel it.
    "Muster-Acted-At": String(at),
    "Muster-Seconds-Ago": String(Math.min(week, Math.max(0, Math.round((Date.now() - at) / 1000)))),
  }, time, controller));
const week = 604800;

const uploadPatience = 180000;
const fileType = "application/octet-stream";

/** Sends a file, once by its key if it has one; `onProgress` receives percent. Returns what the node answers. */
export function upload(path, file, key, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", root + path);
    request.timeout = uploadPatience;
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", fileType);
    if (key) request.setRequestHeader("Idempotency-Key", key);
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress(total > 0 ? Math.floor(loaded / total * 100) : 0));
    request.addEventListener("load", () => {
      if (request.status === 401) stranger();
      if (request.status < 300) return resolve(JSON.parse(request.responseText));
      reject(refusal(request.status, request.responseText));
    });
    for (const name of ["error", "timeout", "abort"]) {
      request.addEventListener(name, () => reject(new Refusal(0, name)));
    }
    request.send(file);
  });
}

/** Writes to a row, or to an `action` of it, unless the row changes in the meantime. */
export async function change(method, row, body, action = "") {
  const { version } = await getVersioned(row);
  await write(method, row + action, body, version);
}

export const segment = encodeURIComponent;
