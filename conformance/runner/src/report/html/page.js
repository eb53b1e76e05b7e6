"use strict";
const form = document.querySelector("form");
const rows = [...document.querySelectorAll("tbody tr")];

function filter() {
  const wanted = new FormData(form);
  const text = wanted.get("text").toLowerCase();
  let shown = 0;
  for (const row of rows) {
    const fits = ["family", "verdict", "level"].every((name) => !wanted.get(name) || wanted.get(name) === row.dataset[name]);
    row.hidden = !fits || !row.textContent.toLowerCase().includes(text);
    shown += row.hidden ? 0 : 1;
  }
  document.querySelector("output").textContent = `${shown} of ${rows.length} rules`;
}

function open() {
  const details = document.getElementById(location.hash.slice(1))?.querySelector("details");
  if (details) details.open = true;
}

form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", open);
filter();
open();
