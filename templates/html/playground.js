"use strict";
(() => {
  const starts = JSON.parse(document.getElementById("starts").textContent);
  const by = (id) => document.getElementById(id);
  const program = by("program");
  let asked = 0;

  const ask = async (request) => {
    const answer = await fetch("ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: program.value, ...request }),
    });
    return answer.json();
  };

  // Lines and columns are those of characters, as JSON has them; a text area counts units of UTF-16.
  const offset = (text, line, column) => {
    const lines = text.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    return before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  };
  const mend = (fix) => {
    const text = program.value;
    const edits = fix.changes
      .map((change) => [offset(text, change.line, change.column), offset(text, change.end_line, change.end_column), change.text])
      .sort((one, other) => other[0] - one[0]);
    program.value = edits.reduce((now, [start, end, put]) => now.slice(0, start) + put + now.slice(end), text);
    look();
  };

  const show = (found) => {
    by("state").textContent = found.error ?? "";
    const items = (found.diagnostics ?? []).map((told) => {
      const item = document.createElement("li");
      const place = told.line ? `line ${told.line}: ` : "";
      item.textContent = `${place}${told.severity}: ${told.message} [${told.code}]${told.hint ? ` (${told.hint})` : ""}`;
      for (const fix of told.fixes ?? []) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `Mend: ${fix.title}`;
        button.addEventListener("click", () => mend(fix));
        item.append(button);
      }
      return item;
    });
    if (!items.length && !found.error) {
      items.push(document.createElement("li"));
      items[0].textContent = "none";
    }
    by("messages").replaceChildren(...items);
    by("explanation").textContent = found.explanation ?? "";
    by("cuda").textContent = found.cuda ?? "";
  };
  const look = async () => {
    const number = ++asked;
    by("state").textContent = "looking …";
    const found = await ask({ kind: "look" }).catch((error) => ({ error: String(error) }));
    if (number === asked) show(found);
  };

  let timer = 0;
  program.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 500);
  });
  by("exercise").addEventListener("change", () => {
    const chosen = by("exercise").value;
    for (const task of document.querySelectorAll(".task")) task.hidden = task.id !== `task-${chosen}`;
    by("check").hidden = chosen === "";
    by("verdict").textContent = "";
    by("verdict").className = "";
    if (chosen !== "") program.value = starts[Number(chosen)];
    look();
  });
  by("check").addEventListener("click", async () => {
    by("verdict").textContent = "checking …";
    const found = await ask({ kind: "exercise", exercise: Number(by("exercise").value) }).catch((error) => ({ error: String(error) }));
    by("verdict").className = found.solved ? "solved" : "";
    by("verdict").textContent = found.error ?? found.words;
  });
  by("draw").addEventListener("click", async () => {
    by("state").textContent = "drawing …";
    const found = await ask({ kind: "page", run: by("run")?.checked ?? false }).catch((error) => ({ error: String(error) }));
    by("state").textContent = found.error ?? "";
    by("page").hidden = !found.page_name;
    if (found.page_name) by("page").src = `page/${found.page_name}`;
  });
  program.value = starts[0];
  look();
})();
