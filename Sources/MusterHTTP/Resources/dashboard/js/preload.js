// Requests all modules at once, so that none waits for another.

const names = `
  alarm alerts api checkins contacts coordinates dialog dom fences geometry i18n/en i18n/en-node
  icons kept login map/base map/fences map/graticule map/handle map/icons map/layer map/map
  map/members map/menu map/tools marks me notices offline order permits person photos place
  position queue reports rollcall roster shell sound status store strip tools undo way words zone
  zonerules
`;
for (const name of names.trim().split(/\s+/)) {
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = `/dashboard/js/${name}.js`;
  link.fetchPriority = "low";
  document.head.append(link);
}
