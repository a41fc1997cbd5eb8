// Requests all data at once, while the rest of the page loads.

import { loadAll } from "./store.js";

loadAll();
