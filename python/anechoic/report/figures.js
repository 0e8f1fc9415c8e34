"use strict";
// Draws the figures of a page: each holds its data packed, as `interactive.py` writes it.

const MOST_TOLD = 12; // values in a tooltip, the largest first
const MOST_BANDS = 3; // intervals of more lines hide each other
const DENSE = 40; // points that stand so close need no marks, and their intervals become a band
const BAND_ROOM = 1.5; // how far a band may reach above the highest mean
const MANY = 4000; // values that a canvas draws faster than SVG
const SYMBOLS = { o: "circle", s: "rect", D: "diamond", "^": "triangle", v: "pin", P: "path://M3 0H7V3H10V7H7V10H3V7H0V3H3Z", X: "path://M2 0L5 3L8 0L10 2L7 5L10 8L8 10L5 7L2 10L0 8L3 5L0 2Z", none: "none" };
const MARK = 8;
const DOT = 5;
const BOX = 5; // values of a box with its whiskers
const ROW = 26;
const BAR = 90;
const TICKS = 5;
const WIDE_TICKS = 8;
const FEW_DECADES = 3; // over so many a log scale also names 2 and 5 of each
const NAME = 12; // CSS pixels of the letters of an axis's name
const BESIDE = 60; // CSS pixels beside a plot that names do not have
const PRINTED = 660; // CSS pixels across a printed page

const wantsDark = matchMedia("(prefers-color-scheme: dark)");
const isTouched = matchMedia("(pointer: coarse)");
let isPrinting = false;
const figures = [];

const colour = (c) => (wantsDark.matches && !isPrinting ? COLOURS.dark[c] : c);
const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function element(name, attributes = {}, text = "") {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(text);
  return made;
}

/** Writes a number as people read it: 1.2 million, 14 421, 0.0312. */
function written(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return `${+(value / 1e9).toPrecision(3)} billion`;
  if (size >= 1e6) return `${+(value / 1e6).toPrecision(3)} million`;
  if (size >= 1e4) return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return String(+value.toPrecision(4));
}

const pen = document.createElement("canvas").getContext("2d");

/** Breaks the name of an axis into lines of a width. */
function wrapped(text, width) {
  pen.font = `${NAME}px ${getComputedStyle(document.body).fontFamily}`;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line).join("\n");
}

/** Gives the round number nearest above a step. */
function niceStep(step) {
  const size = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 2.5, 5, 10].find((part) => part * size >= step * 0.999) * size;
}

/** Gives the ends of a log scale and what it names: powers of ten, or 1, 2 and 5 of each. */
function logScale(low, high) {
  const steps = Math.log10(high / low) > FEW_DECADES ? [1] : [1, 2, 5];
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const all = [];
  for (let power = first; power <= last; power++) all.push(...steps.map((step) => +(step * 10 ** power).toPrecision(3)));
  const min = all.findLast((tick) => tick <= low * 1.001), max = all.find((tick) => tick >= high * 0.999);
  return { min, max, ticks: all.filter((tick) => tick >= min && tick <= max) };
}

/** Writes a mean with the half-width of its interval, to the digits that the interval supports. */
function withInterval(mean, half) {
  const size = Math.max(Math.abs(mean), half ?? 0);
  if (half == null || half <= 1e-9 * size) return written(mean) + (half == null ? "" : " ± 0");
  const decimals = Math.max(1 - Math.floor(Math.log10(half)), 0);
  if (size >= 1e4) return `${written(mean)} ± ${written(+half.toPrecision(2))}`;
  return `${mean.toFixed(decimals)} ± ${half.toFixed(decimals)}`;
}

/** Gives the data of a figure and its values, as `packing.py` packed them. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  const count = new DataView(whole).getUint32(0, true);
  const planes = new Uint8Array(whole, 4, 4 * count);
  const own = new Uint8Array(4 * count);
  for (let i = 0; i < count; i++) for (let plane = 0; plane < 4; plane++) own[4 * i + plane] = planes[plane * count + i];
  const values = new Float32Array(own.buffer);
  return { chart: JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4 + 4 * count))), values };
}

/** Gives values in groups of so many. */
function grouped(values, size) {
  return Array.from({ length: values.length / size }, (_, i) => values.slice(i * size, (i + 1) * size));
}

class Figure {
  constructor(root, { chart, values }) {
    this.root = root;
    this.chart = chart;
    this.values = values;
    this.hidden = new Set();
    this.isLog = this.chart.left.base > 0;
    this.choice = this.chart.views[0].choice;
    this.drawn = [];
    this.controls = element("div", { className: "controls" });
    this.pictures = element("div", { className: "pictures" });
    this.key = element("div", { className: "key" });
    this.note = element("p", { className: "note" });
    root.querySelector("figcaption").before(this.controls, this.note, this.pictures, this.key);
    this.makeControls();
    this.show();
    new ResizeObserver(() => this.fit()).observe(this.pictures);
  }

  /** The chosen view, with its values. */
  get view() {
    const view = this.chart.views.find((each) => each.choice.every((part, i) => part === this.choice[i]));
    if (Array.isArray(view.xs)) return view;
    view.xs = this.valuesOf(view.xs);
    for (const each of view.panels.flatMap((panel) => panel.series)) {
      each.ys = this.valuesOf(each.ys);
      if (each.halves) each.halves = this.valuesOf(each.halves);
      if (each.boxes) each.boxes = grouped(this.valuesOf(each.boxes), BOX);
      if (each.dots) each.dots = grouped(this.valuesOf(each.dots), 2);
    }
    return view;
  }

  /** Gives values where they lie, to the digits that a float has; null for none. */
  valuesOf({ from, count }) {
    return Array.from(this.values.subarray(from, from + count), (value) => (isNaN(value) ? null : +value.toPrecision(7)));
  }

  get names() {
    return this.view.names ?? this.chart.x.names;
  }

  /** Fills the width that there is; while there is none, as in a hidden window, nothing is drawn anew. */
  fit() {
    if (!this.pictures.clientWidth || isPrinting || this.drawn[0].getWidth() === this.width()) return;
    this.drawn.forEach((each) => each.resize());
    this.draw();
  }

  /** How wide a picture has room to be. */
  width() {
    return isPrinting ? PRINTED : this.pictures.firstChild.clientWidth;
  }

  /** The name of a scale, in lines that fit; two scales share the width. */
  named(title, beside = BESIDE) {
    return wrapped(title, (this.width() - beside) / (this.chart.right ? 2 : 1));
  }

  makeControls() {
    this.chart.choices.forEach((name, place) => {
      const values = [...new Set(this.chart.views.map((view) => view.choice[place]))];
      const select = element("select");
      select.append(...values.map((value) => element("option", {}, value)));
      select.value = this.choice[place];
      select.onchange = () => this.choose(place, select.value);
      const label = element("label", {}, `${name} `);
      label.append(select);
      this.controls.append(label);
    });
    const heights = this.view.panels.flatMap((panel) => panel.series.flatMap((each) => each.ys));
    if (this.chart.form === "line" && heights.every((y) => y === null || y > 0)) {
      const box = element("input", { type: "checkbox", checked: this.isLog });
      box.onchange = () => { this.isLog = box.checked; this.draw(); };
      const label = element("label", { className: "no-print" }, " log scale");
      label.prepend(box);
      this.controls.append(label);
    }
    this.back = element("button", { type: "button", className: "back no-print", hidden: true, onclick: () => this.zoomOut() }, "Zoom out");
    this.root.append(this.back);
  }

  choose(place, value) {
    const wanted = this.choice.with(place, value);
    const fits = (view) => view.choice.filter((part, i) => part === wanted[i]).length;
    const possible = this.chart.views.filter((view) => view.choice[place] === value);
    this.choice = possible.reduce((best, view) => (fits(view) > fits(best) ? view : best)).choice;
    this.controls.querySelectorAll("select").forEach((select, i) => { select.value = this.choice[i]; });
    this.show();
  }

  /** Makes room for the panels of the chosen view and its key, and draws. */
  show() {
    const { panels, xs, note } = this.view;
    this.note.textContent = note ?? "";
    if (panels.length !== this.drawn.length) {
      this.drawn.forEach((each) => each.dispose());
      this.pictures.replaceChildren();
      this.drawn = panels.map((panel) => this.picture(panel, xs.length));
      echarts.connect(this.drawn);
    }
    const named = [...panels.flatMap((p) => [...p.series, ...p.shades])];
    const entries = [...new Map(named.map((each) => [each.label, each])).values()];
    this.key.replaceChildren(...(entries.length > 1 ? this.entries(entries) : []));
    this.draw();
  }

  picture(panel, count) {
    const room = element("div", { className: "picture" });
    if (this.chart.form === "stack") room.style.height = `${count * ROW + 70}px`;
    this.pictures.append(room);
    const values = panel.series.reduce((sum, each) => sum + (each.dots?.length ?? count), 0);
    const picture = echarts.init(room, null, { renderer: values > MANY ? "canvas" : "svg" });
    picture.getZr().on("dblclick", () => this.zoomOut());
    picture.on("datazoom", () => { this.back.hidden = !this.isZoomed(); });
    return picture;
  }

  isZoomed() {
    return this.drawn.some((each) => {
      const [zoom] = each.getOption().dataZoom;
      return zoom.start > 0 || zoom.end < 100;
    });
  }

  zoomOut() {
    this.drawn[0].dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start: 0, end: 100 });
  }

  entries(entries) {
    const title = this.chart.key ? [element("span", { className: "faint" }, this.chart.key)] : [];
    const all = element("button", { type: "button", className: "no-print all" }, "show all");
    all.onclick = () => { this.hidden.clear(); this.draw(); };
    const buttons = entries.map((each) => {
      // As the figure draws it: a line or what is filled, dashed or pale beside what matters.
      const looks = [this.chart.form === "line" && each.ys ? "stroke" : "", each.right || each.quiet ? "beside" : ""];
      const swatch = element("i", { className: looks.join(" ").trim() });
      swatch.style.color = `light-dark(${each.colour}, ${COLOURS.dark[each.colour]})`;
      const button = element("button", { type: "button" }, swatch);
      button.append(each.label);
      button.dataset.label = each.label;
      button.onclick = () => {
        if (!this.hidden.delete(each.label)) this.hidden.add(each.label);
        this.draw();
      };
      button.ondblclick = () => {
        this.hidden = new Set(entries.map((other) => other.label).filter((label) => label !== each.label));
        this.draw();
      };
      return button;
    });
    return [...title, ...buttons, all];
  }

  draw() {
    for (const button of this.key.querySelectorAll("button")) {
      if (button.dataset.label) button.ariaPressed = String(!this.hidden.has(button.dataset.label));
      else button.hidden = this.hidden.size === 0;
    }
    const { panels, xs } = this.view;
    this.drawn.forEach((picture, place) => {
      const option = this.chart.form === "stack" ? this.across(panels[place], xs) : this.upright(panels[place], xs);
      picture.setOption(option, { replaceMerge: ["series", "yAxis"] });
      picture.dispatchAction({ type: "takeGlobalCursor", key: "dataZoomSelect", dataZoomSelectActive: !isTouched.matches && this.chart.form !== "stack" });
    });
  }

  common(panel) {
    const ink = colour(COLOURS.ink);
    return {
      animation: false,
      aria: { enabled: true, label: { description: `${this.chart.title} ${panel.title}` } },
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: ink },
      title: { text: panel.title, left: 0, top: 0, textStyle: { fontSize: 13, fontWeight: 400, color: colour(COLOURS.faint) } },
      tooltip: {
        trigger: this.chart.form === "points" ? "item" : "axis",
        confine: true,
        axisPointer: { type: this.chart.form === "line" ? "line" : "shadow" },
        backgroundColor: colour("#ffffff") === "transparent" ? "#161b22" : "#ffffff",
        borderColor: colour(COLOURS.rule),
        textStyle: { color: ink, fontSize: 13 },
        formatter: (found) => this.told(panel, found),
      },
    };
  }

  /** The plot takes what labels and names leave of the picture. */
  room(top) {
    return { left: 2, right: 10, top, bottom: 2, outerBoundsMode: "same", outerBoundsContain: "all" };
  }

  axisLook() {
    return {
      nameTextStyle: { color: colour(COLOURS.ink), fontSize: NAME },
      axisLine: { lineStyle: { color: colour(COLOURS.faint) } },
      axisTick: { show: false },
      axisLabel: { color: colour(COLOURS.ink), hideOverlap: true, formatter: this.names.length ? undefined : written },
      splitLine: { lineStyle: { color: colour(COLOURS.rule) } },
      minorTick: { show: false },
    };
  }

  /** Lines, or bars beside each other. */
  upright(panel, xs) {
    const shown = panel.series.filter((each) => !this.hidden.has(each.label));
    const shades = panel.shades.filter((each) => !this.hidden.has(each.label));
    const hasRight = this.chart.right !== null;
    return {
      ...this.common(panel),
      grid: this.room(panel.title ? 24 : 4),
      toolbox: { itemSize: 0, showTitle: false, feature: { dataZoom: { yAxisIndex: "none", filterMode: "none" } } },
      dataZoom: [{ type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: false, moveOnMouseWheel: false }],
      xAxis: this.along(xs),
      yAxis: hasRight ? [this.up(this.chart.left, false), this.up(this.chart.right, true)] : [this.up(this.chart.left, false)],
      series: [
        ...shown.flatMap((each, place) => this.marks(each, xs, place, shown.length)),
        ...shades.map((shade) => ({
          type: "line",
          data: [],
          markArea: {
            silent: true,
            itemStyle: { color: colour(shade.colour), opacity: 0.3 },
            data: shade.spans.map(([from, to]) => [{ xAxis: from }, { xAxis: to }]),
          },
        })),
        ...(panel.moments.length ? [this.moments(panel.moments)] : []),
      ],
    };
  }

  /** Upright lines where something begins or ends, each with its name. */
  moments(moments) {
    return {
      type: "line",
      data: [],
      markLine: {
        silent: true,
        symbol: "none",
        animation: false,
        lineStyle: { color: colour(COLOURS.faint), type: "dashed", width: 1 },
        label: { position: "insideEndTop", color: colour(COLOURS.ink), fontSize: 11, formatter: ({ name }) => name },
        data: moments.map(([name, xAxis]) => ({ name, xAxis })),
      },
    };
  }

  along(xs) {
    const { title, base, ticks, least } = this.chart.x;
    const names = this.names;
    const name = base ? `${title}, log scale` : title;
    const look = { ...this.axisLook(), name: this.named(name), nameLocation: "middle", nameGap: 24, splitLine: { show: false } };
    if (names.length) return { ...look, type: "category", data: names };
    const ends = { min: least ?? xs[0], max: xs.at(-1) };
    const interval = niceStep((ends.max - ends.min || 1) / WIDE_TICKS);
    const isLoose = !base && !ticks.length && least == null;
    if (isLoose) {
      // Where values happen to begin and end is no number to name.
      ends.min = Math.floor(ends.min / interval) * interval;
      ends.max = Math.ceil(ends.max / interval) * interval;
    }
    const isRound = (x) => Math.abs(x / interval - Math.round(x / interval)) < 1e-6;
    const named = ticks.length || !base ? ticks : logScale(ends.min, ends.max).ticks;
    const label = named.length ? { ...look.axisLabel, customValues: named } : look.axisLabel;
    // Marks and whiskers at the ends need room.
    const room = xs.length <= DENSE && !isLoose && (ticks.length || this.chart.form === "line") ? 0.02 : 0;
    const margin = base ? (ends.max / ends.min) ** room : (ends.max - ends.min) * room;
    return {
      ...look,
      type: base ? "log" : "value",
      logBase: base || 10,
      splitNumber: WIDE_TICKS,
      min: base ? ends.min / margin : ends.min - margin,
      max: base ? ends.max * margin : ends.max + margin,
      axisLabel: { ...label, showMinLabel: named.length > 0 || isRound(ends.min), showMaxLabel: named.length > 0 || isRound(ends.max) },
    };
  }

  up(scale, isRight) {
    const look = { ...this.axisLook(), name: this.named(scale.title), nameLocation: "end" };
    look.nameTextStyle = { ...look.nameTextStyle, align: isRight ? "right" : "left" };
    look.axisLabel = { ...look.axisLabel, formatter: written };
    look.splitLine = { ...look.splitLine, show: !isRight };
    look.axisLine = { show: false };
    const [low, high] = this.reach(isRight);
    const isLog = this.isLog && !isRight;
    if (isLog) {
      const { min, max, ticks: customValues } = logScale(low, high);
      return { ...look, type: "log", min, max, axisLabel: { ...look.axisLabel, customValues } };
    }
    const interval = niceStep((high || 1) / TICKS);
    const least = Math.min(Math.floor(low / interval) * interval, 0);
    return { ...look, type: "value", min: least, max: Math.ceil(high / interval) * interval || 1, interval };
  }

  /** Gives the least and the largest height on a scale, over the panels of the view. */
  reach(isRight) {
    let low = Infinity, high = -Infinity, highest = -Infinity;
    for (const { series } of this.view.panels) {
      for (const each of series) {
        if (this.hidden.has(each.label) || Boolean(each.right) !== isRight) continue;
        const halves = this.hasIntervals(each, series.length) && !this.isLog ? each.halves : [];
        const heights = each.dots?.map(([, y]) => y) ?? each.ys;
        heights.forEach((y, i) => {
          if (y === null) return;
          low = Math.min(low, y < 0 ? y - (halves[i] ?? 0) : y);
          high = Math.max(high, y + (halves[i] ?? 0));
          if (each.boxes) [low, high] = [Math.min(low, each.boxes[i][0]), Math.max(high, each.boxes[i].at(-1))];
          highest = Math.max(highest, y);
        });
      }
    }
    // Bands of few replications are wide: they shall not press their lines to the ground.
    if (this.view.xs.length > DENSE) high = Math.min(high, BAND_ROOM * highest);
    return low <= high ? [low, high] : [this.isLog ? 1 : 0, 1];
  }

  marks(each, xs, place, count) {
    const own = colour(each.colour);
    const data = xs.map((x, i) => [this.names.length ? i : x, each.ys[i] ?? "-"]);
    const common = { name: each.label, data, yAxisIndex: each.right ? 1 : 0, itemStyle: { color: own, opacity: each.quiet ? 0.45 : 1 } };
    const intervals = this.hasIntervals(each, count) ? [this.intervals(each, xs, place, count)] : [];
    if (each.boxes) {
      const boxes = each.boxes.map((box) => (box[0] === null ? [] : box));
      return [{ ...common, data: boxes, type: "boxplot", boxWidth: [6, BAR / 2], itemStyle: { color: "transparent", borderColor: own, borderWidth: 1.6 } }];
    }
    if (each.dots) return [{ ...common, type: "scatter", data: each.dots, symbolSize: DOT, itemStyle: { color: own, opacity: 0.6 } }];
    if (this.chart.form === "bar") return [{ ...common, type: "bar", barGap: "8%", barCategoryGap: "20%", barMaxWidth: BAR }, ...intervals];
    const isDense = xs.length > DENSE;
    const line = {
      ...common,
      type: "line",
      step: each.step ? "end" : false,
      connectNulls: Boolean(each.unbroken),
      symbol: each.quiet ? "none" : SYMBOLS[each.marker] ?? "circle",
      symbolSize: 7,
      showSymbol: !isDense,
      lineStyle: { color: own, width: count > MOST_TOLD || each.quiet ? 1.2 : 2, type: each.quiet ? "dotted" : each.right ? "dashed" : "solid" },
      emphasis: { disabled: true },
    };
    const happened = (each.marks ?? []).map((marks) => ({
      type: "scatter",
      name: each.label,
      yAxisIndex: common.yAxisIndex,
      symbol: SYMBOLS[marks.symbol],
      symbolSize: MARK,
      z: 4,
      // Where nothing was measured, as while a station roams, the mark stands at the value before.
      data: marks.places.map((i) => [xs[i], each.ys.slice(0, i + 1).findLast((y) => y !== null) ?? "-"]),
      itemStyle: { color: own, borderColor: colour(COLOURS.ink), borderWidth: 0.8 },
    }));
    return [line, ...intervals, ...happened];
  }

  hasIntervals(each, count) {
    return Boolean(each.halves) && (each.ys.length <= DENSE || count <= MOST_BANDS);
  }

  /** Draws the 95 % intervals of a series: whiskers, or a band where points are dense. */
  intervals(each, xs, place, count) {
    const own = colour(each.colour);
    const isBar = this.chart.form === "bar";
    const isBand = !isBar && xs.length > DENSE;
    const least = this.isLog ? 1e-12 : -Infinity;
    const low = (i) => Math.max(each.ys[i] - (each.halves[i] ?? 0), least);
    const high = (i) => each.ys[i] + (each.halves[i] ?? 0);
    const at = (i) => (this.names.length ? i : xs[i]);
    const whisker = (api, i) => {
      const offset = isBar ? api.barLayout({ barGap: "8%", barCategoryGap: "20%", barMaxWidth: BAR, count })[place].offsetCenter : 0;
      const [x, bottom] = api.coord([at(i), low(i)]);
      const top = api.coord([at(i), high(i)])[1];
      const bar = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: isBar ? colour(COLOURS.faint) : own, lineWidth: 1.4 } });
      const middle = x + offset;
      return {
        type: "group",
        children: [bar(middle, bottom, middle, top), bar(middle - 4, top, middle + 4, top), bar(middle - 4, bottom, middle + 4, bottom)],
      };
    };
    const band = (api, i) => {
      const isRun = (j) => each.ys[j] != null;
      if (i > 0 && isRun(i - 1)) return null;
      let end = i;
      while (end < xs.length && isRun(end)) end++;
      const places = [...Array(end - i).keys()].map((j) => i + j);
      const points = [...places.map((j) => api.coord([at(j), high(j)])), ...places.reverse().map((j) => api.coord([at(j), low(j)]))];
      return { type: "polygon", shape: { points }, style: { fill: own, opacity: 0.2 }, silent: true };
    };
    return {
      type: "custom",
      silent: true,
      clip: true,
      z: isBand ? 1 : 3,
      yAxisIndex: each.right ? 1 : 0,
      data: xs.map((_, i) => [at(i), each.ys[i] ?? NaN]),
      renderItem: (params, api) => {
        const i = params.dataIndex;
        if (each.ys[i] == null) return null;
        return isBand ? band(api, i) : whisker(api, i);
      },
    };
  }

  /** Bars across, in parts that add up. */
  across(panel) {
    const shown = panel.series.filter((each) => !this.hidden.has(each.label));
    const { title } = this.chart.x;
    const names = this.names;
    const beside = Math.min(220, innerWidth / 3);
    return {
      ...this.common(panel),
      grid: this.room(4),
      xAxis: { ...this.axisLook(), type: "value", min: 0, max: this.chart.left.most ?? undefined, name: this.named(this.chart.left.title, beside + BESIDE / 2), nameLocation: "middle", nameGap: 24, axisLabel: { color: colour(COLOURS.ink), hideOverlap: true } },
      yAxis: {
        ...this.axisLook(), type: "category", data: names, inverse: true, name: this.named(title), nameLocation: "start",
        nameTextStyle: { color: colour(COLOURS.ink), align: "left" },
        axisLabel: { color: colour(COLOURS.ink), width: beside, overflow: "truncate", interval: 0 },
        axisLine: { show: false },
      },
      series: shown.map((each) => ({
        name: each.label, type: "bar", stack: "all", barCategoryGap: "22%", data: each.ys,
        itemStyle: { color: colour(each.colour) },
      })),
    };
  }

  /** Says what a place along x holds. */
  told(panel, found) {
    if (this.chart.form === "points") {
      const [x, y] = found.value;
      const where = this.names.length ? this.names[x] : `${written(x)} ${this.chart.x.unit}`;
      return `${escaped(where)}<br>${escaped(found.seriesName)} <b>${written(y)} ${this.chart.left.unit}</b>`;
    }
    const all = [found].flat();
    const place = (all.find((each) => each.seriesType !== "scatter") ?? all[0]).dataIndex;
    const { unit } = this.chart.x;
    const names = this.names;
    const where = names.length ? names[place] : `${written(this.view.xs[place])} ${unit}`;
    const given = panel.series.filter((each) => !this.hidden.has(each.label) && each.ys[place] != null);
    if (given.length > MOST_TOLD) given.sort((a, b) => b.ys[place] - a.ys[place]);
    const lines = given.slice(0, MOST_TOLD).map((each) => {
      const half = each.halves?.[place];
      const scale = each.right ? this.chart.right : this.chart.left;
      const box = each.boxes?.[place];
      const value = box ? `${box.map(written).join(" · ")} ${scale.unit}` : `${withInterval(each.ys[place], half)} ${scale.unit}`;
      const happened = (each.marks ?? []).filter((marks) => marks.places.includes(place)).map((marks) => `, ${marks.label}`);
      return `<span style="color:${colour(each.colour)}">■</span> ${escaped(each.label)} <b>${escaped(value)}</b>${happened.join("")}`;
    });
    const left = given.length - lines.length;
    return [`${escaped(where)}`, ...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("<br>");
  }
}

const data = new Map(); // of each figure, as far as it is unpacked
const seen = new IntersectionObserver((entries) => {
  entries.filter((entry) => entry.isIntersecting).forEach((entry) => begin(entry.target));
}, { rootMargin: "300px" });

function begin(root) {
  seen.unobserve(root);
  if (figures.some((figure) => figure.root === root)) return;
  figures.push(new Figure(root, data.get(root)));
}

/** Unpacks all figures one after another, so that those that are reached or printed are there. */
async function unpackAll() {
  for (const root of document.querySelectorAll("figure.chart")) {
    data.set(root, await unpacked(root.querySelector("script").textContent));
    if (data.size > 1) seen.observe(root);
    else {
      // The first is drawn wherever it stands, so that it is there when somebody comes to it.
      begin(root);
      performance.mark("first figure");
    }
  }
}

function redraw() {
  figures.forEach((figure) => figure.draw());
}

unpackAll();
wantsDark.addEventListener("change", redraw);
addEventListener("beforeprint", () => {
  [...data.keys()].forEach(begin);
  isPrinting = true;
  figures.forEach((figure) => figure.drawn.forEach((each) => each.resize({ width: PRINTED })));
  redraw();
});
addEventListener("afterprint", () => {
  isPrinting = false;
  figures.forEach((figure) => figure.drawn.forEach((each) => each.resize({ width: "auto" })));
  redraw();
});
