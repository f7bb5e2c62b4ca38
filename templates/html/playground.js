"use strict";
(() => {
  const starts = JSON.parse(document.getElementById("starts").textContent);
  const by = (id) => document.getElementById(id);
  let asked = 0;
  let timer = 0;
  const program = accacheEditor(by("editor"), "Program", () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(), 500);
  });

  // Which exercise is chosen: its options are those of every look at its answers.
  const exercise = () => (/^\d+$/.test(by("exercise").value) ? Number(by("exercise").value) : null);
  const ask = async (request) => {
    const answer = await fetch("ask", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: program.text(), exercise: exercise(), ...request }),
    });
    return answer.json();
  };

  const mend = (fix) => {
    program.apply(fix);
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
    program.mark(found.diagnostics ?? [], mend);
    by("explanation").textContent = found.explanation ?? "";
    by("cuda").textContent = found.cuda ?? "";
  };
  const look = async () => {
    const number = ++asked;
    by("state").textContent = "looking …";
    const found = await ask({ kind: "look" }).catch((error) => ({ error: String(error) }));
    if (number !== asked) return;
    show(found);
    if (!found.explanation) by("drawn").textContent = by("page").hidden ? "" : "The page is that of an earlier text.";
    else if (by("live").checked && !runs()) draw();
  };

  // The page: after each change, one at a time; programs are run only at a click.
  const runs = () => by("run")?.checked ?? false;
  let isDrawing = false;
  let isWanted = false;
  const draw = async () => {
    isWanted = true;
    if (isDrawing) return;
    isDrawing = true;
    while (isWanted) {
      isWanted = false;
      by("drawn").textContent = "drawing …";
      const found = await ask({ kind: "page", run: runs() }).catch((error) => ({ error: String(error) }));
      by("drawn").textContent = found.error ?? "";
      by("page").hidden = !found.page_name;
      if (found.page_name) by("page").src = `page/${found.page_name}`;
    }
    isDrawing = false;
  };

  by("exercise").addEventListener("change", () => {
    const chosen = by("exercise").value;
    for (const task of document.querySelectorAll(".task")) task.hidden = task.id !== `task-${chosen}`;
    by("check").hidden = exercise() === null;
    by("verdict").textContent = "";
    by("verdict").className = "";
    if (chosen !== "") program.setText(starts[chosen]);
    look();
  });
  by("check").addEventListener("click", async () => {
    by("verdict").textContent = "checking …";
    const found = await ask({ kind: "exercise" }).catch((error) => ({ error: String(error) }));
    by("verdict").className = found.solved ? "solved" : "";
    by("verdict").textContent = found.error ?? found.words;
  });
  by("draw").addEventListener("click", draw);
  program.setText(starts[0]);
  look();
})();
