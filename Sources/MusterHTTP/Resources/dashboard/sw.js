// Opens the page while the node is out of range: the page's own files, and no data. The node puts
// `version` and `files` before this text, so that each version of the page is a new worker.

const name = `muster ${version}`;
/** A node out of range often gives no answer at all. */
const patience = 3000;
const pause = 5000;
let resumes = 0;

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(name);
  await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const one of await caches.keys()) if (one !== name) await caches.delete(one);
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  const { origin, pathname, search } = new URL(url);
  const isFile = pathname.startsWith("/dashboard/") || (pathname === "/" && search === "");
  if (method !== "GET" || origin !== location.origin || !isFile) return;
  event.respondWith(answer(event.request, pathname));
});

async function answer(request, path) {
  const kept = await caches.match(path, { cacheName: name });
  if (path.startsWith("/dashboard/world/")) return kept ?? keep(request);
  if (!kept) return fetch(request);
  if (Date.now() < resumes) return path === "/" ? withoutData(kept) : kept;
  // A request that hangs holds one of the few connections, which a call for help needs.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  try {
    return await fetch(request, { signal: late.signal });
  } catch {
    resumes = Date.now() + pause;
    return path === "/" ? withoutData(kept) : kept;
  } finally {
    clearTimeout(timer);
  }
}

/** A tile of the map of the world: the places that were looked at are drawn out of range too. */
async function keep(request) {
  const tile = await fetch(request);
  if (tile.ok) await (await caches.open(name)).put(request, tile.clone());
  return tile;
}

/** The page without the requests for data that it begins with: nothing answers them. */
async function withoutData(page) {
  const text = (await page.text()).replaceAll(/<link rel="preload".*>\n/g, "");
  return new Response(text, { headers: page.headers });
}
