// What this node's API takes: a page may be newer than the node that it is opened at.

let paths = null;

/** Reads the node's own description of its API; without one, everything is offered. */
export async function learn() {
  try {
    const response = await fetch("/openapi.json");
    if (response.ok) ({ paths } = await response.json());
  } catch {
    // What the node does not take, it refuses with a reason.
  }
}

/** Whether a request is taken, and with it a member of its body. */
export function takes(method, path, member) {
  if (!paths) return true;
  const operation = paths[`/api/v1/${path}`]?.[method.toLowerCase()];
  if (!member) return Boolean(operation);
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  return schema?.properties?.[member] !== undefined;
}
