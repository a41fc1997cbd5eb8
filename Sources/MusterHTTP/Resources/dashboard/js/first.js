// Asks the node for everything at once, while the rest of the page is still on its way.

import { loadAll } from "./store.js";

loadAll();
