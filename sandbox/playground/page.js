"use strict";
// Everything that comes from the sandbox is put in as text, never as markup: names are what pupils typed.

const byId = (id) => document.getElementById(id);
const number = (value, digits = 0) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits });

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(cells) {
  const made = element("tr");
  for (const [text, className] of cells) made.append(element("td", text ?? "", className));
  return made;
}

function drawSummary({ info, health }) {
  byId("summary").className = "";
  byId("summary").textContent =
    `${info.url} · table ${info.table_name}, layout ${info.layout}, ${info.world.replace("_", " ")} · up ` +
    `${number(health.uptime_s)} s, ${number(health.cpu_s, 1)} s of CPU, ${number(health.max_rss_bytes / 1e6)} MB · ` +
    `${number(health.http_connections)} HTTP connections, ${number(health.websockets)} WebSockets`;
}

function path(values, top, className) {
  const svgNs = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(svgNs, "path");
  let text = "";
  let drawing = false;
  values.forEach((value, at) => {
    if (value === null) { drawing = false; return; }
    const x = (at / Math.max(1, values.length - 1)) * 300;
    text += `${drawing ? "L" : "M"}${x.toFixed(1)} ${(78 - (value / top) * 74).toFixed(1)}`;
    if (!drawing) text += "l0.01 0";
    drawing = true;
  });
  made.setAttribute("d", text);
  made.setAttribute("class", className);
  return made;
}

function drawConsumption({ period_s: periodS, units_per_s: lines }) {
  const figures = Object.entries(lines).map(([resource, kinds]) => {
    const figure = element("figure");
    const known = Object.values(kinds).flat().filter((value) => value !== null);
    const top = Math.max(1, ...known);
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "0 0 300 80");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `Units per second of ${resource}`);
    figure.append(element("h3", resource), picture);
    const legend = element("p", `last ${30 * periodS} s, top ${number(top, 1)}/s: `, "legend");
    for (const kind of ["read", "write"]) {
      if (!kinds[kind]) continue;
      picture.append(path(kinds[kind], top, kind));
      const last = kinds[kind].findLast((value) => value !== null);
      legend.append(element("span", `${kind} ${number(last, 1)}  `, kind));
    }
    figure.append(legend);
    return figure;
  });
  byId("consumption").replaceChildren(...figures);
}

function drawResource(name, resource) {
  const made = element("div", undefined, "resource");
  made.append(element("h3", `${name}: ${resource.partitions.length} partitions, ${number(resource.items)} items, ` +
    `${number(resource.size_bytes)} bytes, ${resource.world.replace("_", " ")}`));
  const bars = element("div", undefined, "bars");
  resource.partitions.forEach((partition, at) => {
    const bar = element("div", undefined, "bar");
    const used = partition.consumed_units_last_minute;
    for (const [kind, ceiling] of [["read", 3000], ["write", 1000]]) {
      const part = element("i", undefined, kind[0]);
      part.style.height = `${Math.min(100, (100 * (used[kind] ?? 0)) / 60 / ceiling)}%`;
      bar.append(part);
    }
    bar.title = `partition ${at + 1}, from ${partition.from_hash}\n` +
      `last minute: ${number(used.read, 1)} read, ${number(used.write, 1)} write units\n` +
      `left now: ${number(partition.ceiling_units_left.read)} read, ${number(partition.ceiling_units_left.write)} write\n` +
      `${number(partition.size_bytes)} bytes` + (partition.hot_minutes ? `, hot for ${partition.hot_minutes} min` : "") +
      (partition.kept_whole ? `, kept whole: ${partition.kept_whole}` : "");
    bars.append(bar);
  });
  made.append(bars);
  const limits = resource.limits.map((each) =>
    `${each.kind} ${each.limit}: ${number(each.units_left)} left at ${number(each.units_per_s)}/s`);
  made.append(element("p", limits.join(" · "), "note"));
  return made;
}

function drawPartitions(table, name) {
  if (!table) { byId("partitions").replaceChildren(element("p", "The table is elsewhere.", "note")); return; }
  const indexes = Object.entries(table.indexes).map(([index, resource]) => drawResource(index, resource));
  byId("partitions").replaceChildren(drawResource(name, table), ...indexes);
}

// One layout keeps epoch seconds, the others ISO 8601, one none.
function expiry(value) {
  return typeof value === "number" ? new Date(value * 1000).toISOString() : value ?? "–";
}

function drawGroups(groups) {
  const rows = groups.map((group) => row([
    [group.name], [group.domain], [group.host], [{ true: "WebSocket", false: "polling" }[group.websocket] ?? "–"], [expiry(group.expires_at)],
    [group.nodes.map((node) => [node.id, ...node.data].join(" ")).join(", ")],
  ]));
  byId("groups").replaceChildren(...(rows.length ? rows : [row([["No group."]])]));
}

function drawRequests(requests) {
  const rows = requests.map((each) => row([
    [new Date(each.time_s * 1000).toISOString().slice(11, 23)], [each.service], [each.operation],
    [number(each.status), each.status >= 400 ? "number bad" : "number"], [number(each.took_ms, 2), "number"],
    [number(each.request_bytes), "number"], [number(each.response_bytes), "number"],
  ]));
  byId("requests").replaceChildren(...(rows.length ? rows : [row([["None yet."]])]));
}

async function refresh() {
  try {
    const answer = await fetch("/_sandbox/state", { cache: "no-store" });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    const state = await answer.json();
    drawSummary(state);
    drawConsumption(state.consumption);
    drawPartitions(state.partitions, state.info.table_name);
    drawGroups(state.groups);
    drawRequests(state.requests);
  } catch (fault) {
    byId("summary").textContent = `The sandbox does not answer (${fault.message}); what is shown below is old.`;
    byId("summary").className = "bad";
  }
  setTimeout(refresh, document.hidden ? 10000 : 1000);
}

refresh();
