// The upload of a map, which is loaded when one is added.

import { segment } from "../api.js";

/** Sends a file to the node. A gigabyte may take minutes, so there is no limit of time. */
export const transfer = (file, onProgress) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("POST", `/api/v1/maps/${segment(file.name)}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded }) =>
    onProgress(Math.floor(loaded / file.size * 100)));
  request.addEventListener("loadend", () => (request.status === 201 ? resolve(request.response)
    : reject(new Error(request.response?.detail ?? `${file.name}: ${request.status}`))));
  request.send(file);
});
