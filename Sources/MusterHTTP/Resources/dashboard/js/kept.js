// The browser's database: entries that wait to be sent, and the last known picture of one login.

let opened;
const open = () => (opened ??= new Promise((resolve, reject) => {
  const request = indexedDB.open("muster", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("entries", { keyPath: "place", autoIncrement: true });
    request.result.createObjectStore("picture", { keyPath: "owner" });
  };
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
}));

/** Runs `work` on a store in one transaction, and returns after it is on disk. */
async function transaction(store, mode, work) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const run = database.transaction(store, mode, { durability: "strict" });
    const request = work(run.objectStore(store));
    run.oncomplete = () => resolve(request?.result);
    run.onabort = run.onerror = () => reject(run.error);
  });
}

export const read = (store) => transaction(store, "readonly", (all) => all.getAll());

/** Stores values and removes those with the given keys: all of it, or nothing. */
export const commit = (store, values, gone = []) => transaction(store, "readwrite", (all) => {
  for (const key of gone) all.delete(key);
  for (const value of values) all.put(value);
});

export const clear = (store) => transaction(store, "readwrite", (all) => all.clear());
