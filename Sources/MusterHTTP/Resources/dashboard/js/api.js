// Requests to the node. Every failure becomes one kind of error, with a message for users.

const root = "/api/v1/";
const patience = 15000;

let stranger = () => {};
/** Calls `work` whenever the node answers that no user is logged in. */
export function onStranger(work) { stranger = work; }

let unlock = async () => false;
/** Calls `work` whenever the node asks for the passphrase again: it returns whether it was right. */
export function onLocked(work) { unlock = work; }

/** An error of the node, or no answer. */
export class Refusal extends Error {
  constructor(status, message, type) {
    super(message);
    this.status = status;
    this.isLocked = type === "urn:muster:problem:locked";
  }
}

async function send(method, path, body, more, time = patience) {
  const headers = { Accept: "application/json", ...more };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = isFile ? fileType : "application/json";
  let response;
  try {
    response = await fetch(root + path, {
      method, headers, signal: AbortSignal.timeout(isFile ? uploadPatience : time),
      body: body === undefined || isFile ? body : JSON.stringify(body),
    });
  } catch (error) {
    throw new Refusal(0, String(error.message ?? error));
  }
  if (response.status === 401) stranger();
  if (!response.ok) throw refusal(response.status, await response.text());
  return response;
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
    if (!error.isLocked || !await unlock()) throw error;
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
 */
export const transmit = async ({ kind, method, path, body, key, at, login }) => parsed(
  await send(method, path, body, {
    ...(kind === "position" ? {} : { "Idempotency-Key": key }),
    // Another page may have changed the session.
    ...(login ? { "Muster-Login": encodeURIComponent(login) } : {}),
    "Muster-Seconds-Ago": String(Math.min(week, Math.max(0, Math.round((Date.now() - at) / 1000)))),
  }));
const week = 604800;

const uploadPatience = 180000;
const fileType = "application/octet-stream";

/** Sends a file; `onProgress` receives percent. Returns what the node answers. */
export function upload(path, file, key, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", root + path);
    request.timeout = uploadPatience;
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", fileType);
    request.setRequestHeader("Idempotency-Key", key);
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
