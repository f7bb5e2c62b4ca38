"use strict";
(() => {
  const { blocks, sweeps } = JSON.parse(document.getElementById("data").textContent);
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
    const [stride, origin, length, parts, apart, extent] = ["stride", "origin", "length", "parts", "apart", "extent"].map((name) => Number(figure.dataset[name]));
    const show = () => {
      const thread = Number(input.value);
      const starts = Array.from({ length: parts }, (_, part) => origin + thread * stride + part * apart);
      figure.querySelectorAll(".picked").forEach((picked, part) => (picked.style.left = `${(100 * starts[part]) / extent}%`));
      rows.forEach((row, number) => row.classList.toggle("on", number === thread));
      const told = starts.map((start) => `${length > 1 ? `${start} to ` : ""}${start + length - 1}`);
      figure.querySelector("output").textContent = `T${thread} needs element${length * parts > 1 ? "s" : ""} ${told.join(", ")} of the tile.`;
    };
    input.addEventListener("input", show);
    show();
  }

  // Other methods, blocks and tiles.
  const barList = (title, rows) => {
    const most = Math.max(...rows.map((row) => row.value), 1e-9);
    const list = make("dl");
    for (const row of rows) {
      const bar = make("span", row.isPicked ? "bar on" : "bar off");
      bar.style.width = `${(50 * row.value) / most}%`;
      const told = make("dd");
      told.append(bar, ` ${row.text}${row.isPicked ? " ◀" : ""}`);
      list.append(make("dt", row.isPicked ? "picked" : "", row.label), told);
    }
    const figure = make("figure", "bars");
    figure.append(make("figcaption", "", title), list);
    return figure;
  };
  // Numbers have separators; a formula stays as it is.
  const grouped = (text) => (/^\d+$/.test(text) ? Number(text).toLocaleString("en") : text);
  const tileBar = (point, most) => {
    const figure = make("figure", "held");
    const width = (count) => `${(100 * count) / most}%`;
    const own = make("span", "bar on");
    own.style.width = width(point.held - point.halo);
    const bar = make("div", "tilebar");
    bar.append(own);
    if (point.halo) {
      const halo = make("span", "bar off");
      halo.style.width = width(point.halo);
      bar.append(halo);
    }
    const share = point.halo ? `, of which the hatched ${grouped(point.halo)} (${Math.round((100 * point.halo) / point.held)} %) are halo` : "";
    figure.append(make("figcaption", "", `The tiles hold ${grouped(point.held)} elements${share}; the largest ones here would hold ${grouped(most)}`), bar);
    return figure;
  };
  const sizeText = (point) => {
    const count = point.block.reduce((all, extent) => all * extent, 1);
    return `${count} threads${count === point.threads ? "" : ` for ${point.threads}`}`;
  };
  const loadBars = (title, rows, picked) => {
    const loads = rows.filter(([found]) => found.each_after !== null).map(([found, label]) => ({
      label,
      value: found.each_after,
      text: `${grouped(found.each_after)} loads an iteration, ${found.shared_bytes.toLocaleString("en")} bytes, occupancy ${found.occupancy} %`,
      isPicked: found === picked,
    }));
    return loads.length ? [barList(title, loads)] : [];
  };
  const sweepText = (point, form, larger) => {
    if (!point.block.length) return `${point.method} in blocks of ${point.threads} threads: ${point.reason}.`;
    const where = `${point.method === "none" ? "No tile" : point.method} in blocks of ${point.block.join(" × ")} threads`;
    const kept = point.tiles ? `: ${point.tiles}${point.shared_bytes ? `, ${point.shared_bytes.toLocaleString("en")} bytes of shared memory` : ""}` : point.reason ? `: no tile, ${point.reason}` : "";
    const each = point.each_after !== null ? ` (${grouped(point.each_after)} ${larger ? "an iteration" : "a thread"} in place of ${grouped(point.each_before)})` : "";
    const loads = !point.after ? "What a block loads shows when the kernel runs." : point.before === point.after ? `A block loads ${grouped(point.after)} elements${each && ` (${grouped(point.each_after)} ${larger ? "an iteration" : "a thread"})`}.` : `A block loads ${grouped(point.after)} elements in place of ${grouped(point.before)}${each}.`;
    const clocks = form
      ? `With ${form.iterations} iterations a thread (${form.form}) a warp takes an estimated ${form.clocks} clocks (${form.bound}) for each.`
      : point.clocks !== null
        ? `${larger ? `With ${larger.iterations} iterations a thread a` : "A"} warp takes an estimated ${point.clocks} clocks (${point.bound})${larger ? " for each" : ""}.`
        : "There is no estimate for this method.";
    return `${where}${kept}. Occupancy at most ${point.occupancy} % (${point.limit}). ${loads} ${clocks}`;
  };
  for (const article of document.querySelectorAll(".sweep")) {
    const sweep = sweeps.find((found) => found.kernel === article.dataset.kernel);
    const method = article.querySelector("select");
    const size = article.querySelector('[data-of="size"]');
    const several = article.querySelector('[data-of="several"]');
    const tile = article.querySelector('[data-of="tile"]');
    const show = () => {
      const threads = sweep.sizes[Number(size.value)];
      const small = sweep.points.find((found) => found.method === method.value && found.threads === threads);
      const tiled = sweep.larger.filter((found) => found.point.method === method.value);
      tile.disabled = !tiled.length;
      tile.max = String(Math.max(1, tiled.length));
      const larger = tiled[Math.min(Number(tile.value), tiled.length) - 1];
      const point = larger ? larger.point : small;
      size.disabled = Boolean(larger) || sweep.sizes.length === 1;
      several.disabled = method.value !== "none" || sweep.several.length < 2;
      const form = several.disabled || several.value === "0" ? null : sweep.several[Number(several.value)];
      size.setAttribute("aria-valuetext", `${threads} threads`);
      tile.setAttribute("aria-valuetext", point.tiles || "no tile");
      several.setAttribute("aria-valuetext", form ? form.iterations : "1");
      article.querySelector(".status").textContent = sweepText(point, form, larger);
      const parts = [];
      const here = sweep.points.filter((found) => found.threads === threads);
      const estimated = here.filter((found) => found.clocks !== null).map((found) => ({
        label: found.method === "none" ? "no tile" : found.method,
        value: found.clocks,
        text: `${found.clocks} clocks (${found.bound})${found.method !== "none" && !found.tiles ? ", no tile" : ""}`,
        isPicked: found === point && !form,
      }));
      for (const each of method.value === "none" ? sweep.several.slice(1) : [])
        estimated.push({ label: `${each.iterations} iterations`, value: each.clocks, text: `${each.clocks} clocks (${each.bound})`, isPicked: each === form });
      for (const each of tiled)
        if (each.point.clocks !== null)
          estimated.push({ label: each.point.tiles, value: each.point.clocks, text: `${each.point.clocks} clocks (${each.point.bound}), ${each.iterations} iterations a thread`, isPicked: each === larger });
      const others = [...new Set(tiled.map((found) => found.point.threads))].join(" or ");
      const also = others ? `; larger tiles in blocks of ${others}` : "";
      if (estimated.length) parts.push(barList(`Estimated clocks of a warp in blocks of ${threads}, for one iteration${also}`, estimated));
      const sized = sweep.points.filter((found) => found.method === method.value);
      parts.push(...loadBars(`Global loads by the size of blocks, ${method.value === "none" ? "without tiles" : method.value}`, sized.map((found) => [found, sizeText(found)]), point));
      const grown = tiled.map((found) => [found.point, `${found.point.tiles}, ${found.iterations} iterations`]);
      if (grown.length) parts.push(...loadBars("Global loads by the tile, for several iterations a thread", grown, point));
      const most = Math.max(...[...sized, ...tiled.map((found) => found.point)].map((found) => found.held));
      if (point.held) parts.push(tileBar(point, most));
      const line = larger ? null : sweep.lines.find((found) => found.threads === threads);
      if (line) {
        const box = make("div", "mend");
        const text = make("pre", "", line.text);
        text.tabIndex = 0;
        box.append(make("p", "", `Line ${sweep.line} for such blocks:`), text);
        parts.push(box);
      }
      const command = make("p", "command");
      const again = sweep.command.replace("METHOD", method.value);
      command.append(make("code", "", form ? sweep.command.replace("--method METHOD --coarsen off", "--json") : larger ? again.replace("--coarsen off", `--coarsen ${larger.coarsen}`) : again));
      parts.push(command);
      article.querySelector(".stage").replaceChildren(...parts);
    };
    size.value = String(Math.max(0, sweep.sizes.indexOf(sweep.chosen)));
    const found = sweep.points.find((point) => point.tiles);
    if (found) method.value = found.method;
    for (const input of [method, size, tile, several]) input.addEventListener("input", show);
    article.querySelector(".controls").hidden = false;
    show();
  }

  // A block, step by step.
  const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const turns = (count) => counted(count, "turn");
  // Cells for texts; where one is long, fewer of them stand in a row.
  const gridOf = (texts) => make("div", texts.some((text) => text.length > 4) ? "grid long" : "grid");
  const laneGrid = (warp, step) => {
    const grid = gridOf([...step.elements.map(String), `T${32 * warp.number + 31}`]);
    step.elements.forEach((element, lane) => {
      const cell = make("div", element === null ? "cell idle" : "cell now");
      cell.append(make("b", "", `T${32 * warp.number + lane}`), element === null ? "–" : String(element));
      grid.append(cell);
    });
    return grid;
  };
  const sectorGrid = (step) => {
    const grid = gridOf(step.sectors.map(([sector]) => `#${sector}`));
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
  const tileGrid = (block, warp, step, number) => {
    const parts = [];
    if (block.cut_phase !== null && step.phase > block.cut_phase)
      return [make("p", "note", "What tiles hold from here on is not recorded: too many elements were fetched before.")];
    for (const held of block.contents) {
      if (held.phase > step.phase) continue;
      if (block.contents.some((other) => other.tile === held.tile && other.phase > held.phase && other.phase <= step.phase)) continue;
      const isFilling = held.phase === step.phase;
      const seen = new Set();
      if (isFilling)
        for (const past of warp.steps.slice(0, number + 1))
          if (past.phase === held.phase && past.array === held.tile && past.part === "fetch") past.elements.forEach((e) => seen.add(e));
      const now = new Set(step.array === held.tile ? step.elements : []);
      const rest = held.elements.length;
      parts.push(make("h4", "", `${held.tile} holds elements of ${held.array} (${isFilling ? `${warp.number ? `warp ${warp.number}` : "the first warp"}'s part of the fetch so far` : "complete, behind the barrier"})`));
      const grid = gridOf(held.elements.map(String));
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
  // What stands in the page as runs: a start, a step and a count of each.
  const numbersOf = (runs) => {
    const numbers = [];
    for (let k = 0; k < runs.length; k += 3)
      for (let n = 0; n < runs[k + 2]; ++n) numbers.push(runs[k] === null ? null : runs[k] + n * runs[k + 1]);
    return numbers;
  };
  const fields = ["phase", "part", "access", "memory", "array", "line", "elements", "sectors", "used", "turns", "banks", "other_turns", "other_banks"];
  const stepOf = (values) => {
    const step = Object.fromEntries(values.map((value, k) => [fields[k], Array.isArray(value) ? numbersOf(value) : value]));
    step.sectors = step.sectors.map((sector, k) => [sector, step.used[k]]);
    if (!step.other_banks.length) step.other_banks = step.banks;
    return step;
  };
  const warpOf = (warp) => ({ ...warp, steps: warp.steps.map(stepOf) });
  // The instructions of a warp, and a step of its own for what all threads wait at between them.
  const framesOf = (warp) => {
    const frames = [];
    let phase = 0;
    warp.steps.forEach((step, number) => {
      if (step.phase > phase) frames.push({ barriers: step.phase - phase, phase: step.phase, number });
      phase = step.phase;
      frames.push({ barriers: 0, phase, number });
    });
    return frames;
  };
  for (const article of document.querySelectorAll(".steps")) {
    const packed = blocks.find((found) => found.kernel === article.dataset.kernel);
    const block = { ...packed, contents: packed.contents.map((held) => ({ ...held, elements: numbersOf(held.elements) })) };
    const choice = article.querySelector("select");
    const slider = article.querySelector("input");
    const status = article.querySelector(".status");
    const stage = article.querySelector(".stage");
    const play = article.querySelector('[data-go="play"]');
    let warp = warpOf(block.warps[0]);
    let frames = framesOf(warp);
    let timer = null;
    let other = false;
    const showBarrier = (frame) => {
      status.textContent =
        `Step ${slider.value} of ${frames.length}: ${frame.barriers === 1 ? "a barrier" : counted(frame.barriers, "barrier")}. ` +
        "All threads of the block wait here for each other: what they wrote to shared memory before it, all of them may read behind it.";
      // between two phases: what was fetched before is there, and nothing of the next
      stage.replaceChildren(...tileGrid(block, warp, { phase: frame.phase - 0.5, array: null, elements: [] }, frame.number));
      light(null, null);
    };
    const show = () => {
      const frame = frames[Number(slider.value) - 1];
      if (!frame) {
        status.textContent = warp.is_whole ? "This warp makes no access to memory." : "What this warp does is not recorded.";
        return stage.replaceChildren();
      }
      if (frame.barriers) return showBarrier(frame);
      const number = frame.number;
      const step = warp.steps[number];
      const lanes = step.elements.filter((element) => element !== null).length;
      const access = `${step.access === "atomic" ? "update" : step.access}${lanes === 1 ? "s" : ""}`;
      const cost = step.memory === "shared" ? `${turns(step.turns)} of the banks` : `${counted(step.sectors.length, "sector")}`;
      status.textContent =
        `Step ${slider.value} of ${frames.length}: ${step.part}, ${step.phase ? `behind ${counted(step.phase, "barrier")}` : "before any barrier"}. ` +
        `${step.line ? `Line ${step.line}` : "In another file"}: ${counted(lanes, "thread")} ${access} ${step.memory} ${step.array}, ${cost}.`;
      const parts = [make("h4", "", `Threads${warp.number ? ` of warp ${warp.number}` : ""}, and the element of ${step.array || "memory"} that each has`), laneGrid(warp, step)];
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
      parts.push(...tileGrid(block, warp, step, number));
      if (!warp.is_whole && frame === frames[frames.length - 1]) parts.push(make("p", "note", "The warp does more, which is not shown."));
      stage.replaceChildren(...parts);
      light(String(step.line), null);
    };
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "▶ play";
      play.setAttribute("aria-label", "Play");
    };
    const go = (number) => {
      slider.value = String(Math.min(Math.max(number, 1), frames.length));
      show();
    };
    const actions = {
      first: () => go(1),
      back: () => go(Number(slider.value) - 1),
      forward: () => go(Number(slider.value) + 1),
      last: () => go(frames.length),
      play: () => {
        if (timer) return stop();
        play.textContent = "❚❚ pause";
        play.setAttribute("aria-label", "Pause");
        timer = setInterval(() => {
          if (Number(slider.value) >= frames.length) stop();
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
    if (choice)
      choice.addEventListener("input", () => {
        stop();
        warp = warpOf(block.warps[Number(choice.value)]);
        frames = framesOf(warp);
        slider.max = String(Math.max(frames.length, 1));
        show();
      });
    // on paper nobody steps: the last one has the most to see
    let before = slider.value;
    window.addEventListener("beforeprint", () => {
      before = slider.value;
      stop();
      go(frames.length);
    });
    window.addEventListener("afterprint", () => go(Number(before)));
    slider.max = String(frames.length);
    article.querySelector(".controls").hidden = false;
    show();
  }
  light(null, null);
  const directive = sides[0].querySelector(".directive");
  if (directive) sides[0].scrollTop = directive.offsetTop - sides[0].offsetTop - sides[0].clientHeight / 3;
})();
