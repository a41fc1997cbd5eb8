// The features of this node's API: a page may be newer than its node.

let paths = null;

/** Reads the node's OpenAPI document; without it, everything is offered. */
export async function learn() {
  try {
    const response = await fetch("/openapi.json");
    if (response.ok) ({ paths } = await response.json());
  } catch {
    // The node rejects what it does not support, with a reason.
  }
}

/** Returns whether a request, and a member of its body, is supported. */
export function takes(method, path, member) {
  if (!paths) return true;
  const operation = paths[`/api/v1/${path}`]?.[method.toLowerCase()];
  if (!member) return Boolean(operation);
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  return schema?.properties?.[member] !== undefined;
}
