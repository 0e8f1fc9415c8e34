// A click on a column's head sorts the rows by it, another the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[0].cells;
  for (const head of heads) {
    head.tabIndex = 0;
    head.addEventListener("click", () => sortBy(table, head));
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sortBy(table, head);
      }
    });
  }
}

function sortBy(table, head) {
  const at = head.cellIndex;
  const isDown = head.getAttribute("aria-sort") !== "descending";
  const value = (row) => row.cells[at].dataset.by;
  const rows = [...table.tBodies[0].rows];
  const isText = rows.some((row) => value(row) !== "" && Number.isNaN(Number(value(row))));
  const order = (a, b) => {
    if (value(a) === "" || value(b) === "") return (value(a) === "") - (value(b) === "");
    const less = isText ? value(a).localeCompare(value(b)) : Number(value(a)) - Number(value(b));
    return isDown ? -less : less;
  };
  table.tBodies[0].append(...rows.sort(order));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
}
