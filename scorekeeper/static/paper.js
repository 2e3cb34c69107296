// Paper: the button that prints, and the grid into which a sheet is keyed: arrow keys, Enter, more rows, and pasting.
"use strict";

(() => {
  const grid = document.querySelector(".grid");
  document.addEventListener("click", ({ target }) => target.closest("[data-print]") && print());
  if (!grid) return;

  const form = grid.closest("form");
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const rows = () => [...grid.tBodies];
  const cells = (row) => [...row.querySelectorAll("input")];
  // What has been checked is not saved either.
  let touched = rows().some((row) => row.className);

  // Another empty row below the last; false where there can be none.
  function grow() {
    const last = rows().at(-1);
    if (rows().length >= Number(grid.dataset.most)) return false;
    const row = last.cloneNode(true);
    const [own, deal] = [rows().length + 1, number.format(Number(last.dataset.deal) + 1)];
    row.className = "";
    row.dataset.deal = Number(last.dataset.deal) + 1;
    for (const extra of [...row.rows].slice(1)) extra.remove();
    row.querySelector("th").textContent = deal;
    for (const cell of cells(row)) {
      for (const name of ["value", "id", "aria-invalid", "aria-describedby"]) cell.removeAttribute(name);
      cell.value = "";
      cell.name = cell.name.replace(/^r\d+/, `r${own}`);
      cell.setAttribute("aria-label", cell.getAttribute("aria-label").replace(/^\S+/, deal));
    }
    last.after(row);
    return true;
  }

  function go(row, column) {
    const cell = row >= 0 && (row < rows().length || grow()) && cells(rows()[row])[column];
    if (!cell) return false;
    cell.focus();
    cell.select();
    return true;
  }

  function place(cell) {
    const row = rows().findIndex((one) => one.contains(cell));
    return [row, cells(rows()[row]).indexOf(cell)];
  }

  grid.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!target.matches("input") || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const [row, column] = place(target);
    const [from, to, end] = [target.selectionStart, target.selectionEnd, target.value.length];
    const whole = from === 0 && to === end;
    const forward = getComputedStyle(grid).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    let gone = false;
    if (key === "ArrowUp") gone = go(row - 1, column);
    else if (key === "ArrowDown" && row + 1 < rows().length) gone = go(row + 1, column);
    else if (key === "Enter") gone = go(row + (event.shiftKey ? -1 : 1), column) || true;
    else if (event.shiftKey) return;
    else if (key === forward && (whole || from === end)) gone = go(row, column + 1);
    else if (["ArrowLeft", "ArrowRight"].includes(key) && key !== forward && (whole || to === 0)) gone = go(row, column - 1);
    if (gone) event.preventDefault();
  });

  // What a spreadsheet copies: a line for each row, a tab between cells.
  grid.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n$/, "");
    if (!event.target.matches("input") || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const [top, start] = place(event.target);
    touched = true;
    let cut = false;
    text.split("\n").forEach((line, down) => {
      const row = top + down < rows().length || grow() ? cells(rows()[top + down]) : [];
      line.split("\t").forEach((content, right) => {
        const cell = row[start + right];
        if (cell) cell.value = content.trim();
        else cut ||= content.trim() !== "";
      });
    });
    document.querySelector("[data-cut]").hidden = !cut;
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-more]")) return;
    const first = rows().length;
    event.preventDefault();
    for (let more = 0; more < 6 && grow(); more++);
    go(first, 0);
  });

  grid.addEventListener("input", () => (touched = true));
  addEventListener("submit", ({ target, defaultPrevented }) => {
    if (target === form && !defaultPrevented) touched = false;
  });
  addEventListener("beforeunload", (event) => touched && event.preventDefault());
})();
