// Requests to the node. Every failure becomes one kind of error, with a message for users.

const root = "/api/v1/";
const patience = 15000;

let stranger = () => {};
/** Calls `work` whenever the node answers that no user is logged in. */
export function onStranger(work) { stranger = work; }

/** An error of the node, or no answer. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function send(method, path, body, version) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version) headers["If-Match"] = version;
  let response;
  try {
    response = await fetch(root + path, {
      method, headers, signal: AbortSignal.timeout(patience),
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    throw new Refusal(0, String(error.message ?? error));
  }
  if (response.status === 401) stranger();
  if (!response.ok) throw new Refusal(response.status, await reason(response));
  return response;
}

async function reason(response) {
  const text = await response.text();
  try {
    const problem = JSON.parse(text);
    return [problem.detail ?? problem.title, problem.place].filter(Boolean).join(" — ");
  } catch {
    return `${response.status} ${text.slice(0, 200)}`;
  }
}

export async function get(path) {
  return (await send("GET", path)).json();
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

/** Writes; with `version`, the write fails if the row has changed since that version. */
export async function write(method, path, body, version) {
  const response = await send(method, path, body, version);
  return response.status === 201 ? response.json() : null;
}

/** Writes to a row, or to an `action` of it, unless the row changes in the meantime. */
export async function change(method, row, body, action = "") {
  const { version } = await getVersioned(row);
  await write(method, row + action, body, version);
}

export const segment = encodeURIComponent;
