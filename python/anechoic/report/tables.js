"use strict";
// Says above what is wider than the page that there is more of it.

for (const room of document.querySelectorAll(".scroll")) {
  const hint = Object.assign(document.createElement("p"), { className: "faint no-print", hidden: true });
  hint.append("This goes on to the right: scroll it sideways.");
  room.before(hint);
  new ResizeObserver(() => { hint.hidden = room.scrollWidth <= room.clientWidth; }).observe(room);
}
