/**
 * The script inside an HTML plot: zoom, pan, cursor values, switching series. Plain browser code without imports,
 * because the page must work offline as one file; it reads the data that html.ts puts beside it.
 *
 * Data: { start, stop, themes: {light, dark}, dashes, times: number[][], panels: [{ kind, title, whole,
 *   series: [{ label, unit, stepwise, color, dash, digits, time: index into times, values: (number|null)[] }] }] }
 * A null is a gap. Values and times are rounded to what a screen can show.
 */
export const PAGE_SCRIPT: string = String.raw`"use strict";
(() => {
  const fig = JSON.parse(document.getElementById("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let themeName = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const full = { from: fig.start, to: fig.stop > fig.start ? fig.stop : fig.start + 1 };
  let view = { ...full };
  let cursor = null, drag = null, queued = false;
  const RIGHT = 14, TOP = 8, AXIS = 24, LANE = 34, LIFT = 0.62;
  const FONT = "11px system-ui, sans-serif";
  const host = document.getElementById("panels");
  const readout = document.getElementById("readout");

  const panels = fig.panels.map((panel) => {
    const section = document.createElement("section");
    const legend = document.createElement("div");
    legend.className = "legend";
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", panel.series.map((s) => s.label).join(", ") + " over time");
    section.append(legend, canvas);
    host.append(section);
    const series = panel.series.map((data) => {
      const button = document.createElement("button");
      const line = document.createElement("canvas");
      line.className = "swatch";
      const value = document.createElement("output");
      button.append(line, data.label, value);
      button.title = "show or hide " + data.label;
      button.setAttribute("aria-pressed", "true");
      const one = { ...data, x: fig.times[data.time], on: true, button, line, value };
      button.onclick = (event) => {
        if (event.altKey) for (const other of series) setOn(other, other === one);
        else setOn(one, !one.on);
        redraw();
      };
      legend.append(button);
      return one;
    });
    return { ...panel, series, canvas, box: null };
  });

  function setOn(series, on) {
    series.on = on;
    series.button.setAttribute("aria-pressed", String(on));
  }

  /** Index of the last time that is not after t; -1 when there is none. */
  function rowAt(x, t) {
    let low = 0, high = x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function valueAt(series, t) {
    const { x, values, stepwise } = series;
    if (x.length === 0 || t < x[0] || t > x[x.length - 1]) return null;
    const row = rowAt(x, t);
    const here = values[row];
    if (stepwise || here === null || row + 1 >= x.length || values[row + 1] === null) return here;
    return here + ((values[row + 1] - here) * (t - x[row])) / (x[row + 1] - x[row]);
  }

  const show = (value, digits) => value === null ? "–" : String(Number(value.toPrecision(digits))).replace("-", "−");

  function niceStep(rough) {
    const power = Math.floor(Math.log10(rough));
    const share = rough / 10 ** power;
    const factor = share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10;
    return power < 0 ? factor / 10 ** -power : factor * 10 ** power;
  }

  function ticksOf(min, max, count, whole) {
    const step = niceStep(Math.max((max - min) / count, whole ? 1 : 0, 1e-300));
    const ticks = [];
    for (let i = Math.ceil(min / step - 1e-9); i <= max / step + 1e-9 && ticks.length < 100; i++) ticks.push(i * step);
    const size = Math.max(Math.abs(min), Math.abs(max));
    const plain = size < 1e6 && step >= 1e-5;
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const digits = Math.min(15, Math.max(1, Math.floor(Math.log10(size / step) + 1e-9) + 1));
    const label = (v) => plain ? v.toFixed(decimals) : Math.abs(v) < step / 2 ? "0" : String(Number(v.toPrecision(digits)));
    return ticks.map((at) => ({ at, label: label(at).replace(/^-0(\.0*)?$/, "0$1").replace("-", "−") }));
  }

  /** Least and greatest visible value of the series that are switched on. */
  function rangeOf(panel) {
    if (panel.kind === "lanes") return [-0.22, panel.series.length - 0.16];
    let low = Infinity, high = -Infinity;
    for (const { on, x, values } of panel.series) {
      if (!on) continue;
      const from = Math.max(0, rowAt(x, view.from)), to = rowAt(x, view.to);
      for (let row = from; row <= to; row++) {
        const value = values[row];
        if (value === null) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) return [0, 1];
    const room = high - low > Math.abs(high) * 1e-12 ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  }

  const innerHeight = (panel) => panel.kind === "lanes" ? panel.series.length * LANE + 6
    : panels.length === 1 ? 420 : panels.length === 2 ? 260 : 190;

  /** Range and ticks of the value axis; returns how wide its labels are. */
  function layOut(panel) {
    const [min, max] = rangeOf(panel);
    const levels = panel.kind === "lanes"
      ? panel.series.flatMap((_, i) => [{ at: i, label: "0" }, { at: i + LIFT, label: "1" }])
      : ticksOf(min, max, Math.max(3, innerHeight(panel) / 38), panel.whole);
    Object.assign(panel, { min, max, levels });
    const c = panel.canvas.getContext("2d");
    c.font = FONT;
    return Math.max(0, ...levels.map(({ label }) => c.measureText(label).width));
  }

  function drawPanel(panel, left, last) {
    const { min, max, levels } = panel;
    const theme = fig.themes[themeName], ratio = devicePixelRatio || 1;
    const width = panel.canvas.clientWidth;
    const inner = innerHeight(panel);
    const height = inner + TOP + (last ? AXIS : 6);
    panel.canvas.style.height = height + "px";
    panel.canvas.width = Math.round(width * ratio);
    panel.canvas.height = Math.round(height * ratio);
    const c = panel.canvas.getContext("2d");
    c.scale(ratio, ratio);
    const box = { left, right: width - RIGHT, top: TOP, bottom: TOP + inner };
    panel.box = box;
    const px = (t) => box.left + ((t - view.from) / (view.to - view.from)) * (box.right - box.left);
    const py = (v) => box.bottom - ((v - min) / (max - min)) * (box.bottom - box.top);
    c.font = FONT;
    c.lineWidth = 1;
    const times = ticksOf(view.from, view.to, Math.max(2, (box.right - box.left) / 90));
    c.strokeStyle = theme.grid;
    c.fillStyle = theme.muted;
    c.beginPath();
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const { at, label } of levels) {
      const y = Math.round(py(at)) + 0.5;
      c.moveTo(box.left, y);
      c.lineTo(box.right, y);
      c.fillText(label, box.left - 6, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const { at, label } of times) {
      const x = Math.round(px(at)) + 0.5;
      c.moveTo(x, box.top);
      c.lineTo(x, box.bottom);
      if (last) c.fillText(label, x, box.bottom + 6);
    }
    c.stroke();
    c.save();
    c.translate(14, (box.top + box.bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textBaseline = "middle";
    c.fillStyle = theme.text;
    c.font = FONT.replace("11", "12");
    c.fillText(panel.title, 0, 0, inner);
    c.restore();
    c.save();
    c.beginPath();
    c.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    c.clip();
    panel.series.forEach((series, i) => {
      if (series.on) drawSeries(c, panel, series, i, px, py, theme);
    });
    drawCursor(c, box, px, theme);
    c.restore();
    c.strokeStyle = theme.axis;
    c.setLineDash([]);
    c.strokeRect(box.left + 0.5, box.top + 0.5, box.right - box.left - 1, box.bottom - box.top - 1);
  }

  function drawSeries(c, panel, series, index, px, py, theme) {
    const { x, values, stepwise } = series;
    const base = panel.kind === "lanes" ? panel.series.length - 1 - index : 0;
    const lift = panel.kind === "lanes" ? LIFT : 1;
    const from = Math.max(0, rowAt(x, view.from) - 1), to = Math.min(x.length - 1, rowAt(x, view.to) + 1);
    c.strokeStyle = theme.colors[series.color];
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.setLineDash(fig.dashes[series.dash % fig.dashes.length]);
    c.beginPath();
    let down = false, lastY = 0, column = NaN, low = 0, high = 0;
    for (let row = from; row <= to; row++) {
      const value = values[row];
      if (value === null) {
        down = false;
        continue;
      }
      const X = px(x[row]), Y = py(base + lift * value);
      // Within one pixel column only what widens it is drawn.
      if (down && Math.round(X) === column && Y >= low && Y <= high && row < to && values[row + 1] !== null && Math.round(px(x[row + 1])) === column) {
        lastY = Y;
        continue;
      }
      if (Math.round(X) !== column) {
        column = Math.round(X);
        low = high = Y;
      }
      low = Math.min(low, Y);
      high = Math.max(high, Y);
      if (!down) c.moveTo(X, Y);
      else if (stepwise) {
        c.lineTo(X, lastY);
        c.lineTo(X, Y);
      } else c.lineTo(X, Y);
      if (!down && (row === to || values[row + 1] === null)) c.lineTo(X + 1, Y);
      down = true;
      lastY = Y;
    }
    c.stroke();
  }

  function drawCursor(c, box, px, theme) {
    c.setLineDash([]);
    c.lineWidth = 1;
    if (drag && drag.mode === "zoom" && drag.moved) {
      c.fillStyle = theme.colors[0] + "2a";
      c.fillRect(px(Math.min(drag.from, drag.to)), box.top, Math.abs(px(drag.to) - px(drag.from)), box.bottom - box.top);
    }
    if (cursor === null) return;
    c.strokeStyle = theme.muted;
    c.beginPath();
    c.moveTo(Math.round(px(cursor)) + 0.5, box.top);
    c.lineTo(Math.round(px(cursor)) + 0.5, box.bottom);
    c.stroke();
  }

  function drawSwatches() {
    const theme = fig.themes[themeName];
    for (const { series } of panels) for (const one of series) {
      one.line.width = 44;
      one.line.height = 12;
      const c = one.line.getContext("2d");
      c.scale(2, 2);
      c.strokeStyle = theme.colors[one.color];
      c.lineWidth = 2;
      c.setLineDash(fig.dashes[one.dash % fig.dashes.length]);
      c.beginPath();
      c.moveTo(0, 3);
      c.lineTo(22, 3);
      c.stroke();
    }
  }

  function draw() {
    queued = false;
    // In coarse steps, so that the plot does not tremble while zooming.
    const left = Math.max(78, Math.ceil((36 + Math.max(0, ...panels.map(layOut))) / 16) * 16);
    host.style.setProperty("--left", left + "px");
    panels.forEach((panel, i) => drawPanel(panel, left, i === panels.length - 1));
    readout.textContent = cursor === null ? "" : "t = " + show(cursor, 6) + " s";
    for (const { series } of panels) for (const one of series) {
      const value = cursor === null ? "" : show(valueAt(one, cursor), one.digits);
      one.value.textContent = value && value + (one.unit ? " " + one.unit : "");
    }
  }

  function redraw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(draw);
  }

  /** Shows from..to, kept inside the data and wider than nothing. */
  function look(from, to) {
    const least = (full.to - full.from) * 1e-9;
    const span = Math.min(Math.max(to - from, least), full.to - full.from);
    const start = Math.min(Math.max(from, full.from), full.to - span);
    view = { from: start, to: start + span };
    redraw();
  }

  function zoom(factor, around) {
    look(around - (around - view.from) * factor, around + (view.to - around) * factor);
  }

  function timeAt(panel, event) {
    const rect = panel.canvas.getBoundingClientRect(), box = panel.box;
    const share = (event.clientX - rect.left - box.left) / (box.right - box.left);
    return view.from + Math.min(1, Math.max(0, share)) * (view.to - view.from);
  }

  for (const panel of panels) {
    const { canvas } = panel;
    canvas.onpointerdown = (event) => {
      const pan = event.shiftKey || event.button === 1 || event.pointerType === "touch";
      const t = timeAt(panel, event);
      drag = { mode: pan ? "pan" : "zoom", from: t, to: t, x: event.clientX, view, moved: false };
      canvas.setPointerCapture(event.pointerId);
    };
    canvas.onpointermove = (event) => {
      cursor = timeAt(panel, event);
      if (drag) {
        drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > 4;
        drag.to = cursor;
        if (drag.mode === "pan") {
          const perPixel = (drag.view.to - drag.view.from) / (panel.box.right - panel.box.left);
          const by = (event.clientX - drag.x) * perPixel;
          look(drag.view.from - by, drag.view.to - by);
        }
      }
      redraw();
    };
    canvas.onpointerup = () => {
      const done = drag;
      drag = null;
      if (done && done.mode === "zoom" && done.moved) look(Math.min(done.from, done.to), Math.max(done.from, done.to));
      redraw();
    };
    canvas.onpointercancel = () => { drag = null; redraw(); };
    canvas.onpointerleave = () => { if (!drag) cursor = null; redraw(); };
    canvas.ondblclick = () => look(full.from, full.to);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = (event.deltaX / 800) * (view.to - view.from);
        look(view.from + by, view.to + by);
      } else zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 250), timeAt(panel, event));
    }, { passive: false });
  }

  function setTheme(name) {
    themeName = name;
    document.documentElement.dataset.theme = name;
    drawSwatches();
    redraw();
  }

  const middle = () => (view.from + view.to) / 2;
  const actions = {
    in: () => zoom(0.5, middle()),
    out: () => zoom(2, middle()),
    all: () => look(full.from, full.to),
    theme: () => setTheme(themeName === "dark" ? "light" : "dark"),
  };
  for (const [id, action] of Object.entries(actions)) document.getElementById(id).onclick = action;
  onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = (view.to - view.from) / 8;
    if (event.key === "+") actions.in();
    else if (event.key === "-") actions.out();
    else if (event.key === "0") actions.all();
    else if (event.key === "ArrowLeft") look(view.from - by, view.to - by);
    else if (event.key === "ArrowRight") look(view.from + by, view.to + by);
    else return;
    event.preventDefault();
  };
  dark.onchange = () => setTheme(dark.matches ? "dark" : "light");
  onresize = redraw;
  document.body.classList.add("alive");
  setTheme(themeName);
})();
`;
