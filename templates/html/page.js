"use strict";
(() => {
  const blocks = JSON.parse(document.getElementById("blocks").textContent);
  const make = (name, kind, text) => {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // Source and CUDA: a line lights up what belongs to it, and scrolls the other side there.
  const sides = [...document.querySelectorAll(".panes .code")];
  const light = (line, from) => {
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (!line) return;
    for (const side of sides) {
      const found = side.querySelectorAll(`[data-line="${line}"]`);
      for (const item of found) item.classList.add("lit");
      if (side !== from && found.length) {
        const first = found[0];
        const top = first.offsetTop - side.offsetTop;
        if (top < side.scrollTop || top > side.scrollTop + side.clientHeight - 40) side.scrollTop = top - side.clientHeight / 3;
      }
    }
  };
  for (const side of sides) {
    const over = (event) => {
      const item = event.target.closest("[data-line]");
      if (item) light(item.dataset.line, side);
    };
    side.addEventListener("mouseover", over);
    side.addEventListener("focusin", over);
    side.addEventListener("mouseleave", () => light(null, side));
  }

  // CUDA, PTX or SASS, one of them at a time.
  const tabs = document.querySelector(".tabs");
  if (tabs) {
    const view = (name) => {
      for (const button of tabs.children) {
        button.setAttribute("aria-pressed", String(button.dataset.view === name));
        document.getElementById(button.dataset.view).hidden = button.dataset.view !== name;
      }
    };
    for (const button of tabs.children) button.addEventListener("click", () => view(button.dataset.view));
    tabs.hidden = false;
    view("cuda");
  }

  // Threads and elements: any thread can be picked.
  for (const figure of document.querySelectorAll(".threads")) {
    const input = figure.querySelector("input");
    if (!input) continue;
    const rows = figure.querySelectorAll(".need");
    const { stride, origin, length } = figure.dataset;
    const show = () => {
      const thread = Number(input.value);
      const start = Number(origin) + thread * Number(stride);
      figure.querySelector(".picked").setAttribute("x", start);
      rows.forEach((row, number) => row.classList.toggle("on", number === thread));
      figure.querySelector("output").textContent =
        `T${thread} needs elements ${start} to ${start + Number(length) - 1} of the tile.`;
    };
    input.addEventListener("input", show);
    show();
  }

  // A block, step by step.
  const turns = (count) => `${count} turn${count === 1 ? "" : "s"}`;
  const laneGrid = (step) => {
    const grid = make("div", "grid");
    step.elements.forEach((element, lane) => {
      const cell = make("div", element === null ? "cell idle" : "cell now");
      cell.append(make("b", "", `T${lane}`), element === null ? "–" : String(element));
      grid.append(cell);
    });
    return grid;
  };
  const sectorGrid = (step) => {
    const grid = make("div", "grid");
    for (const [sector, used] of step.sectors) {
      const cell = make("div", "cell sector");
      cell.style.setProperty("--used", `${(used / 32) * 100}%`);
      cell.title = `bytes ${sector * 32} to ${sector * 32 + 31}: ${used} of 32 used`;
      cell.append(make("b", "", `#${sector}`), `${used}/32`);
      grid.append(cell);
    }
    return grid;
  };
  const bankGrid = (banks, elements) => {
    const lanes = Array.from({ length: 32 }, () => new Set());
    banks.forEach((bank, lane) => bank !== null && lanes[bank].add(elements[lane]));
    const grid = make("div", "grid");
    lanes.forEach((asked, bank) => {
      const cell = make("div", asked.size > 1 ? "cell crowded" : asked.size ? "cell full" : "cell idle");
      cell.title = `bank ${bank}`;
      cell.append(make("b", "", `B${bank}`), asked.size ? `${asked.size}×` : "–");
      grid.append(cell);
    });
    return grid;
  };
  const tileGrid = (block, step, number) => {
    const parts = [];
    for (const held of block.contents) {
      if (held.phase > step.phase) continue;
      if (block.contents.some((other) => other.tile === held.tile && other.phase > held.phase && other.phase <= step.phase)) continue;
      const isFilling = held.phase === step.phase;
      const seen = new Set();
      if (isFilling)
        for (const past of block.steps.slice(0, number + 1))
          if (past.phase === held.phase && past.array === held.tile && past.part === "fetch") past.elements.forEach((e) => seen.add(e));
      const now = new Set(step.array === held.tile ? step.elements : []);
      const rest = held.elements.length;
      parts.push(make("h4", "", `${held.tile} holds elements of ${held.array} (${isFilling ? "the first warp's part of the fetch so far" : "complete, behind the barrier"})`));
      const grid = make("div", "grid");
      for (let place = 0; place < Math.min(rest, 512); ++place) {
        const element = held.elements[place];
        const isThere = element !== null && (!isFilling || seen.has(place));
        const cell = make("div", now.has(place) ? "cell now" : isThere ? "cell full" : "cell idle");
        cell.append(make("b", "", String(place)), isThere ? String(element) : "·");
        grid.append(cell);
      }
      parts.push(grid);
      if (rest > 512) parts.push(make("p", "note", `The first 512 of ${rest} places.`));
    }
    return parts;
  };
  for (const article of document.querySelectorAll(".steps")) {
    const block = blocks.find((found) => found.kernel === article.dataset.kernel);
    const slider = article.querySelector("input");
    const status = article.querySelector(".status");
    const stage = article.querySelector(".stage");
    let timer = null;
    let other = false;
    const show = () => {
      const number = Number(slider.value) - 1;
      const step = block.steps[number];
      if (!step) return;
      const lanes = step.elements.filter((element) => element !== null).length;
      const cost = step.memory === "shared" ? `${turns(step.turns)} of the banks` : `${step.sectors.length} sectors`;
      status.textContent =
        `Step ${number + 1} of ${block.steps.length}: ${step.part}, ${step.phase ? `behind ${step.phase} barrier${step.phase === 1 ? "" : "s"}` : "before any barrier"}. ` +
        `Line ${step.line}: ${lanes} threads ${step.access} ${step.memory} ${step.array}, ${cost}.`;
      const parts = [make("h4", "", `Threads, and the element of ${step.array || "memory"} that each has`), laneGrid(step)];
      if (step.memory === "shared") {
        const row = block.rows.find((found) => found.array === step.array);
        parts.push(make("h4", "", `Banks: how many different words each is asked for${other && row ? ` with rows of ${row.other}: ${turns(step.other_turns)}` : `: ${turns(step.turns)}`}`));
        parts.push(bankGrid(other && row ? step.other_banks : step.banks, step.elements));
        if (row) {
          const label = make("label", "pad");
          const box = make("input");
          box.type = "checkbox";
          box.checked = other;
          box.addEventListener("change", () => {
            other = box.checked;
            show();
            stage.querySelector(".pad input").focus();
          });
          label.append(box, ` as if its rows had ${row.other} elements, not ${row.length}`);
          parts.push(label);
        }
      } else {
        parts.push(make("h4", "", "Sectors of 32 bytes, and how much of each is used"), sectorGrid(step));
      }
      parts.push(...tileGrid(block, step, number));
      stage.replaceChildren(...parts);
      light(String(step.line), null);
    };
    const stop = () => {
      clearInterval(timer);
      timer = null;
      article.querySelector('[data-go="play"]').textContent = "▶ play";
    };
    const go = (number) => {
      slider.value = String(Math.min(Math.max(number, 1), block.steps.length));
      show();
    };
    const actions = {
      first: () => go(1),
      back: () => go(Number(slider.value) - 1),
      forward: () => go(Number(slider.value) + 1),
      last: () => go(block.steps.length),
      play: () => {
        if (timer) return stop();
        article.querySelector('[data-go="play"]').textContent = "❚❚ pause";
        timer = setInterval(() => {
          if (Number(slider.value) >= block.steps.length) stop();
          else go(Number(slider.value) + 1);
        }, 700);
      },
    };
    for (const button of article.querySelectorAll("[data-go]"))
      button.addEventListener("click", () => {
        if (button.dataset.go !== "play") stop();
        actions[button.dataset.go]();
      });
    slider.addEventListener("input", () => {
      stop();
      show();
    });
    article.querySelector(".controls").hidden = false;
    show();
  }
  light(null, null);
  const directive = sides[0].querySelector(".directive");
  if (directive) sides[0].scrollTop = directive.offsetTop - sides[0].offsetTop - sides[0].clientHeight / 3;
})();
