(() => {
  "use strict";
  const form = document.getElementById("filters");
  if (!form) return;
  const items = Array.from(document.querySelectorAll("#list > .exception"), (node) => ({ node, text: null }));
  const lists = ["day", "check", "table", "dealer", "cause", "state", "disposition"].map((name) => form.elements[name]).filter(Boolean);
  const boxes = Array.from(form.querySelectorAll("input[name=severity]"));
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const search = form.elements.search;

  for (const list of lists) {
    const counts = new Map();
    for (const { node } of items) {
      const value = node.dataset[list.name];
      counts.set(value, (counts.get(value) || 0) + 1);
    }
    for (const value of Array.from(counts.keys()).sort()) {
      list.append(new Option(`${value} (${counts.get(value)})`, value));
    }
  }

  const textOf = (item) => {
    if (item.text === null) {
      const parts = item.node.querySelectorAll("summary, .v");
      item.text = Array.from(parts, (part) => part.textContent).join("\n").toLowerCase();
    }
    return item.text;
  };

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const tally = new Map(boxes.map((box) => [box.value, 0]));
    let visible = 0;
    for (const item of items) {
      const data = item.node.dataset;
      const fits =
        lists.every((list) => !list.value || data[list.name] === list.value) &&
        words.every((word) => textOf(item).includes(word));
      if (fits) tally.set(data.severity, tally.get(data.severity) + 1);
      const show = fits && wanted.has(data.severity);
      item.node.hidden = !show;
      if (show) visible += 1;
    }
    for (const [severity, count] of tally) {
      form.querySelector(`[data-tally=${severity}]`).textContent = count.toLocaleString("en");
    }
    shown.textContent = `Showing ${visible.toLocaleString("en")} of ${items.length.toLocaleString("en")}`;
    nothing.hidden = visible > 0;
  };

  const choose = (list, value) => {
    if (!Array.from(list.options).some((option) => option.value === value)) list.append(new Option(value, value));
    list.value = value;
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["input", "change"]) form.addEventListener(kind, apply);
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("open").addEventListener("click", (event) => {
    const open = event.target.dataset.open !== "yes";
    event.target.dataset.open = open ? "yes" : "no";
    event.target.textContent = open ? "Close all shown" : "Open all shown";
    for (const { node } of items) if (!node.hidden) node.open = open;
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-pick]");
    if (!link) return;
    form.reset();
    const { pick, value, day } = link.dataset;
    if (pick === "severity") for (const box of boxes) box.checked = box.value === value;
    else choose(form.elements[pick], value);
    if (day && form.elements.day) choose(form.elements.day, day);
    apply();
  });

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = items.filter(({ node }) => !node.hidden && !node.open);
    for (const { node } of opened) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const { node } of opened) node.open = false;
  });

  form.hidden = false;
  apply();
})();
