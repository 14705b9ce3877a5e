"use strict";
/* The page of --html: reads the data above it, and shows tests, timeline and critical path. */
(() => {
	const $ = (id) => document.getElementById(id);
	const run = JSON.parse($("data").textContent);
	/* In this order in chips and lists. */
	const CLASSES = {
		failed: ["Failed", "✕"],
		unfinished: ["Not finished", "◌"],
		flaky: ["Flaky", "≈"],
		passed: ["Passed", "✓"],
		skipped: ["Skipped", "→"],
		disabled: ["Disabled", "–"],
		earlier: ["Ran before", "↺"],
	};
	const RANK = Object.fromEntries(Object.keys(CLASSES).map((name, i) => [name, i]));
	const FAILURES = new Set(["failed", "unfinished", "flaky"]);

	/* ---- texts ---- */

	/* Arguments are made nodes; text is never read as HTML. */
	function element(name, attributes, ...children) {
		const e = document.createElement(name);
		for (const [key, value] of Object.entries(attributes || {}))
			if (key.startsWith("aria-")) e.setAttribute(key, String(value));
			else if (value === true) e.setAttribute(key, "");
			else if (value !== false && value !== undefined && value !== null)
				e.setAttribute(key, value);
		e.append(...children.filter((c) => c !== null && c !== undefined));
		return e;
	}
	function duration(ms) {
		if (ms === undefined) return "";
		if (ms < 1) return `${Math.round(ms * 1000)} µs`;
		if (ms < 999.5) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
		if (ms < 59995) return `${(ms / 1000).toFixed(2)} s`;
		const s = Math.round(ms / 1000);
		const two = (n) => String(n).padStart(2, "0");
		return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s`
			: `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
	}
	const moment = (ms) => `${(ms / 1000).toFixed(3)} s`;
	const count = (n) => n.toLocaleString("en");
	function bytes(n) {
		if (n < 1024) return `${n} bytes`;
		const i = n < 1048576 ? 0 : n < 1073741824 ? 1 : 2;
		return `${(n / 1024 ** (i + 1)).toFixed(1)} ${["KiB", "MiB", "GiB"][i]}`;
	}
	const quoted = (s) => /^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replace(/'/g, "'\\''")}'`;

	/* ---- the model ---- */

	const tests = run.tests;
	const attempts = run.attempts;
	tests.forEach((t, i) => {
		t.index = i;
		t.attempts = [];
		t.low = t.name.toLowerCase();
		t.labels = (t.labels || []).map((l) => run.labels[l]);
		t.took = 0;
		t.began = Infinity;
	});
	attempts.forEach((a, i) => {
		const t = tests[a.test];
		a.index = i;
		a.stays = [];
		t.attempts.push(a);
		t.took += a.took ?? 0;
		t.began = Math.min(t.began, a.began);
	});
	const tracks = run.tracks.map(([machine, name], i) => ({ machine, name, index: i, stays: [] }));
	for (const [a, track, amount] of run.stays) {
		const stay = { attempt: attempts[a], track, amount };
		tracks[track].stays.push(stay);
		attempts[a].stays.push(stay);
	}
	const path = (run.path || []).map(([first, last, why, of], i) => (
		{ test: tests[attempts[first].test], index: i, why, of, first: attempts[first],
			began: attempts[first].began, ended: attempts[last].ended }));
	/* Of earlier runs: when, what became of it, how long; the earliest first. */
	for (const [test, ...rest] of run.earlier || []) {
		tests[test].earlier = [];
		for (let i = 0; i < rest.length; i += 3)
			tests[test].earlier.push({ when: rest[i], result: run.verdicts[rest[i + 1]], took: rest[i + 2] });
	}
	const onPath = new Set(path.map((step) => step.test));
	const end = attempts.reduce((most, a) => Math.max(most, a.ended), run.duration) || 1;
	/* A flaky attempt that failed is shown as a failure. */
	const GOOD = { passed: "passed", skipped: "skipped", disabled: "disabled", interrupted: "unfinished" };
	const classOf = (a) => GOOD[a.result] || "failed";

	function sayResult(a) {
		const parts = [a.result[0].toUpperCase() + a.result.slice(1)];
		if (a.exit !== undefined && (a.exit !== 0 || a.result !== "passed")) parts.push(`exit code ${a.exit}`);
		if (a.signal !== undefined) parts.push(`signal ${a.signal}`);
		if (a.took !== undefined) parts.push(duration(a.took));
		return parts.join(" · ");
	}

	/* ---- state, kept in the address ---- */

	const state = { view: "tests", q: "", result: "", label: "", sort: "result", test: -1, attempt: -1 };
	let shown = []; /* the tests that pass the filters, in order */
	let passes = new Uint8Array(tests.length);
	let isReady = false;

	function saveState() {
		const words = new URLSearchParams();
		if (state.view !== "tests") words.set("view", state.view);
		for (const key of ["q", "result", "label"]) if (state[key]) words.set(key, state[key]);
		if (state.sort !== "result") words.set("sort", state.sort);
		if (state.test >= 0) words.set("test", tests[state.test].number);
		const hash = words.toString();
		if (isReady && hash !== location.hash.slice(1))
			history.replaceState(null, "", `#${hash}`);
	}
	function loadState() {
		const words = new URLSearchParams(location.hash.slice(1));
		const number = Number(words.get("test"));
		state.view = ["tests", "timeline", "path"].includes(words.get("view")) ? words.get("view") : "tests";
		state.q = words.get("q") || "";
		state.result = words.get("result") in CLASSES || words.get("result") === "failures" ? words.get("result") : "";
		state.label = words.get("label") || "";
		if (!run.labels.includes(state.label)) state.label = "";
		state.sort = words.get("sort") in ORDERS ? words.get("sort") : "result";
		state.test = number ? tests.findIndex((t) => t.number === number) : -1;
		state.attempt = -1;
	}

	/* ---- filters ---- */

	const ORDERS = {
		result: (a, b) => RANK[a.class] - RANK[b.class] || a.number - b.number,
		time: (a, b) => b.took - a.took || a.number - b.number,
		number: (a, b) => a.number - b.number,
		name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.number - b.number),
		began: (a, b) => (a.began === b.began ? a.number - b.number : a.began < b.began ? -1 : 1),
	};
	const COMPARE = { ">": (a, b) => a > b, "<": (a, b) => a < b };

	/* A word of the search as a function of a test. Throws what is wrong with it. */
	function readWord(word) {
		let m;
		if (word.length > 1 && word[0] === "-") {
			const is = readWord(word.slice(1));
			return (t) => !is(t);
		}
		if ((m = /^\/(.+)\/$/.exec(word))) {
			const expression = new RegExp(m[1], "i");
			return (t) => expression.test(t.name);
		}
		if ((m = /^time:([<>])(\d*\.?\d+)s?$/.exec(word))) {
			const is = COMPARE[m[1]], limit = Number(m[2]) * 1000;
			return (t) => is(t.took, limit);
		}
		if ((m = /^label:(.+)$/.exec(word))) {
			const wanted = m[1].toLowerCase();
			return (t) => t.labels.some((l) => l.toLowerCase().includes(wanted));
		}
		if ((m = /^result:(.+)$/.exec(word))) {
			const wanted = m[1].toLowerCase();
			return (t) => t.class === wanted || t.attempts.some((a) => a.result === wanted);
		}
		const low = word.toLowerCase();
		return (t) => t.low.includes(low);
	}
	/* Words are apart by blanks; an expression between slashes may have some. */
	function readQuery(q) {
		const words = q.match(/-?\/(?:[^/\\]|\\.)+\/(?=\s|$)|\S+/g) || [];
		const all = words.map(readWord);
		return (t) => all.every((is) => is(t));
	}
	const isOfResult = (t) => !state.result || t.class === state.result ||
		(state.result === "failures" && FAILURES.has(t.class));

	function filterTests() {
		let matches;
		const input = $("search");
		try {
			matches = readQuery(state.q);
			input.classList.remove("wrong");
			input.title = "";
		} catch (e) {
			matches = () => false;
			input.classList.add("wrong");
			input.title = e.message;
		}
		const counts = {};
		shown = [];
		passes = new Uint8Array(tests.length);
		for (const t of tests) {
			if ((state.label && !t.labels.includes(state.label)) || !matches(t)) continue;
			counts[t.class] = (counts[t.class] || 0) + 1;
			if (!isOfResult(t)) continue;
			passes[t.index] = 1;
			shown.push(t);
		}
		shown.sort(ORDERS[state.sort]);
		showChips(counts);
		$("count").textContent = shown.length === tests.length ? `${count(tests.length)} tests`
			: `${count(shown.length)} of ${count(tests.length)} tests`;
	}

	/* ---- lists of which only the visible rows are made ---- */

	class Rows {
		constructor(root, height, make, choose, empty) {
			Object.assign(this, { root, height, make, choose, empty, items: [], chosen: -1, made: new Map() });
			this.inside = element("div", { role: "presentation" });
			root.append(this.inside);
			root.addEventListener("scroll", () => this.draw(), { passive: true });
			root.addEventListener("click", (e) => {
				const row = e.target.closest(".row");
				if (row) this.choose(Number(row.dataset.at));
			});
			new ResizeObserver(() => this.draw()).observe(root);
		}
		set(items, chosen) {
			this.items = items;
			this.chosen = chosen;
			this.made.clear();
			this.inside.replaceChildren();
			this.inside.style.height = `${items.length * this.height}px`;
			if (!items.length) {
				this.inside.style.height = "";
				this.inside.append(element("p", { class: "none" }, this.empty()));
			}
			this.draw();
		}
		draw() {
			const room = this.root.clientHeight;
			if (!room || !this.items.length) return;
			const from = Math.max(0, Math.floor(this.root.scrollTop / this.height) - 8);
			const to = Math.min(this.items.length, Math.ceil((this.root.scrollTop + room) / this.height) + 8);
			for (const [i, row] of this.made)
				if (i < from || i >= to) {
					row.remove();
					this.made.delete(i);
				}
			for (let i = from; i < to; i++)
				if (!this.made.has(i)) this.add(i);
			const active = this.made.get(this.chosen);
			if (active) this.root.setAttribute("aria-activedescendant", active.id);
			else this.root.removeAttribute("aria-activedescendant");
		}
		add(i) {
			const row = this.make(this.items[i]);
			row.id = `${this.root.id}-${i}`;
			row.dataset.at = i;
			row.style.top = `${i * this.height}px`;
			row.setAttribute("role", "option");
			row.setAttribute("aria-selected", i === this.chosen);
			row.setAttribute("aria-posinset", i + 1);
			row.setAttribute("aria-setsize", this.items.length);
			this.made.set(i, row);
			this.inside.append(row);
		}
		mark(i) {
			this.made.get(this.chosen)?.setAttribute("aria-selected", "false");
			this.chosen = i;
			this.made.get(i)?.setAttribute("aria-selected", "true");
			this.reveal();
			this.draw();
		}
		reveal() {
			const top = this.chosen * this.height, room = this.root.clientHeight;
			if (this.chosen < 0 || !room) return;
			if (top < this.root.scrollTop) this.root.scrollTop = top;
			else if (top + this.height > this.root.scrollTop + room)
				this.root.scrollTop = top + this.height - room;
		}
	}

	const markOf = (t) => element("span", { class: "mark-of", title: CLASSES[t.class][0] }, CLASSES[t.class][1]);

	/* The name, with the first plain word of the search in another colour. */
	function nameOf(t) {
		const name = element("span", { class: "name", title: t.name });
		const word = (state.q.match(/(?:^|\s)([^\s:/-][^\s:]*)(?=\s|$)/) || [])[1];
		const at = word ? t.low.indexOf(word.toLowerCase()) : -1;
		if (at < 0 || t.low.length !== t.name.length) name.append(t.name);
		else name.append(t.name.slice(0, at), element("mark", {}, t.name.slice(at, at + word.length)),
			t.name.slice(at + word.length));
		return name;
	}
	function testRow(t) {
		const tags = element("span", { class: "tags" });
		if (t.class === "failed" && t.last !== "failed") tags.append(element("span", { class: "tag own" }, t.last));
		for (const label of t.labels.slice(0, 3)) tags.append(element("span", { class: "tag" }, label));
		if (t.labels.length > 3) tags.append(element("span", { class: "tag" }, `+${t.labels.length - 3}`));
		return element("div", { class: `row test ${t.class}` }, markOf(t), nameOf(t), tags,
			element("span", { class: "took" }, t.attempts.length ? duration(t.took) : ""));
	}
	function whyOf(step) {
		const before = step.index ? path[step.index - 1].test.name : "";
		switch (step.why) {
		case "first": return "began at once";
		case "dependency": return `depends on ${before}`;
		case "lock": return `lock ${step.of}, after ${before}`;
		case "runs alone": return `runs alone, after ${before}`;
		case "resource": return `${step.of}, after ${before}`;
		default: return `slots, after ${before}`;
		}
	}
	function stepRow(step) {
		const bar = element("i");
		bar.style.left = `${100 * step.began / end}%`;
		bar.style.width = `${100 * (step.ended - step.began) / end}%`;
		const why = whyOf(step);
		return element("div", { class: `row step ${step.test.class}` }, markOf(step.test), nameOf(step.test),
			element("span", { class: "why", title: why }, why),
			element("span", { class: "lane", title: `${moment(step.began)} to ${moment(step.ended)}` }, bar),
			element("span", { class: "took" }, duration(step.ended - step.began)));
	}

	const list = new Rows($("list"), 34, testRow, (i) => chooseTest(shown[i].index),
		() => "No test passes these filters.");
	const pathList = new Rows($("path"), 38, stepRow, (i) => chooseTest(path[i].test.index),
		() => run.interrupted ? "The run was interrupted: it has no critical path." : "No test has run.");

	/* ---- output ---- */

	/* Escape sequences: colours become classes, others and control characters are shown. */
	function styledText(into, text) {
		/* eslint-disable-next-line no-control-regex */
		const odd = /\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\r\n|[\x00-\x08\x0b-\x1f\x7f\ufffd]/g;
		let at = 0, m, classes = "";
		const put = (s) => {
			if (s) into.append(classes ? element("span", { class: classes }, s) : s);
		};
		while ((m = odd.exec(text))) {
			put(text.slice(at, m.index));
			at = odd.lastIndex;
			if (m[1] !== undefined) classes = styleOf(m[1], classes);
			else if (m[0] === "\r\n") put("\n");
			else if (m[0].length === 1) into.append(oddCharacter(m[0]));
		}
		put(text.slice(at));
	}
	function styleOf(codes, before) {
		let classes = before.split(" ").filter(Boolean);
		const numbers = codes.split(/[;:]/).map(Number);
		for (let i = 0; i < numbers.length; i++) {
			const n = numbers[i];
			if (n === 38 || n === 48) {
				i += numbers[i + 1] === 5 ? 2 : 4;
			} else if (n === 0) classes = [];
			else if (n === 1) classes = [...classes.filter((c) => c !== "a-bold"), "a-bold"];
			else if (n === 22) classes = classes.filter((c) => c !== "a-bold");
			else if (n === 39 || (n >= 30 && n <= 37) || (n >= 90 && n <= 97)) {
				classes = classes.filter((c) => c === "a-bold");
				if (n !== 39) classes.push(`a-${n}`);
			}
		}
		return classes.join(" ");
	}
	function oddCharacter(c) {
		const code = c.charCodeAt(0);
		const sign = code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "␡" : c;
		const what = code === 0xfffd ? "bytes that are no UTF-8" : `byte ${code}`;
		return element("span", { class: "odd", title: what }, sign);
	}
	let wraps = true;
	function outputOf(a) {
		const o = a.output;
		if (!o) return [];
		const pre = element("pre", { class: wraps ? "output wrap" : "output", tabindex: "0", "aria-label": "Output" });
		styledText(pre, o.head);
		if (o.cut) {
			pre.append(element("span", { class: "cut" }, `${count(o.cut)} bytes are left out here; the log of the run has them`));
			styledText(pre, o.tail || "");
		}
		const wrap = element("input", { type: "checkbox", checked: wraps });
		wrap.addEventListener("change", () => {
			wraps = wrap.checked;
			pre.classList.toggle("wrap", wraps);
		});
		return [element("div", { class: "over" }, element("h3", {}, "Output ", element("small", {}, bytes(o.bytes))),
			element("label", { class: "check" }, wrap, " wrap lines")), pre];
	}

	/* ---- the chosen test ---- */

	function fact(name, value, title) {
		return value ? element("div", { title }, element("dt", {}, name), element("dd", {}, value)) : null;
	}
	function code(title, text) {
		const button = element("button", { class: "quiet", title: `Copy: ${title}` }, "Copy");
		button.addEventListener("click", async () => {
			try {
				await navigator.clipboard.writeText(text);
				button.textContent = "Copied";
			} catch {
				getSelection().selectAllChildren(button.previousSibling);
			}
		});
		return element("div", { class: "code" }, element("code", { title }, text), button);
	}
	const chosen = run.configuration ? ` -C ${quoted(run.configuration)}` : "";
	const again = (t) => `cctr --test-dir ${quoted(run.tree)}${chosen} --test ${quoted(t.name)}`;
	function holdings(a) {
		const names = new Map();
		for (const stay of a.stays) {
			const track = tracks[stay.track];
			const name = track.slot ? null : track.name.replace(/ \(\d+\)$/, "");
			if (name) names.set(name, stay.amount);
		}
		return [...names].map(([name, amount]) => (amount > 1 ? `${name} (${count(amount)})` : name)).join(", ");
	}
	/* A bar for each attempt, as high as it took long; the last one is of this run. */
	function chartOf(t, a) {
		if (!t.earlier) return null;
		const shown = t.earlier.concat(a.took === undefined ? [] : [{ result: a.result, took: a.took, isNow: true }]);
		const most = Math.max(...shown.map((e) => e.took), 1e-3), wide = 9, high = 56;
		const svg = (name, attributes, ...children) => {
			const e = document.createElementNS("http://www.w3.org/2000/svg", name);
			for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
			e.append(...children);
			return e;
		};
		const bars = shown.map((e, i) => {
			const tall = Math.max(2, Math.round(e.took / most * high));
			const when = e.isNow ? "this run" : new Date(e.when * 1000).toLocaleString("sv");
			return svg("rect", { class: `${classOf(e)}${e.isNow ? " now" : ""}`, x: i * wide + 1, y: high - tall, width: wide - 2, height: tall, rx: 1 },
				svg("title", {}, `${when}: ${e.result}, ${duration(e.took)}`));
		});
		const failed = t.earlier.filter((e) => classOf(e) === "failed").length;
		const times = t.earlier.map((e) => e.took).sort((x, y) => x - y);
		const said = `${count(t.earlier.length)} earlier ${t.earlier.length === 1 ? "attempt" : "attempts"} since ${new Date(t.earlier[0].when * 1000).toLocaleDateString("sv")}: ` +
			`${failed ? `${count(failed)} failed` : "none failed"}, median ${duration(times[times.length >> 1])}, longest ${duration(times[times.length - 1])}`;
		return element("figure", { class: "earlier" },
			svg("svg", { width: shown.length * wide, height: high, viewBox: `0 0 ${shown.length * wide} ${high}`, role: "img", "aria-label": said }, ...bars),
			element("figcaption", {}, said));
	}
	function attemptDetails(t, a) {
		const parts = [element("p", { class: `result ${classOf(a)}` }, sayResult(a))];
		const slots = a.stays.find((s) => tracks[s.track].slot);
		if (a.reason) parts.push(element("p", { class: `reason ${classOf(a)}` }, a.reason));
		parts.push(element("dl", { class: "facts" },
			fact("Number", String(t.number)),
			fact("Labels", t.labels.join(", ")),
			fact("From", `${moment(a.began)} to ${moment(a.ended)}`, "since the begin of the run"),
			fact("Processor time", a.cpu === undefined ? "" : duration(a.cpu)),
			fact("Memory", a.memory ? bytes(a.memory) : "", "the largest resident set"),
			fact("Slots", slots && slots.amount > 1 ? count(slots.amount) : ""),
			fact("Held", holdings(a)),
			fact("Node", a.node || ""),
			fact("Partition", a.partition || ""),
			fact("Critical path", onPath.has(t) ? "on it" : "")));
		parts.push(...[chartOf(t, a)].filter(Boolean));
		if (a.command) parts.push(code("The command of the test", a.command));
		parts.push(code("Runs the test again", again(t)), ...outputOf(a));
		return parts;
	}
	function showDetails() {
		const box = $("details"), t = tests[state.test];
		if (!t) {
			box.replaceChildren(...(state.view === "timeline" ? [] : [element("p", { class: "none" }, "Choose a test to see its times and its output.")]));
			return;
		}
		const parts = [element("h2", {}, t.name)];
		if (!t.attempts.length) {
			parts.push(element("p", { class: `result ${t.class}` }, CLASSES[t.class][0]));
			box.replaceChildren(...parts);
			return;
		}
		const at = t.attempts[state.attempt] ? state.attempt : t.attempts.length - 1;
		if (t.attempts.length > 1) {
			const buttons = t.attempts.map((a, i) => {
				const b = element("button", { class: classOf(a), "aria-pressed": i === at }, `${i + 1}. `, element("b", {}, a.result));
				b.addEventListener("click", () => {
					state.attempt = i;
					showDetails();
				});
				return b;
			});
			parts.push(element("div", { class: "chips attempts", role: "group", "aria-label": "Attempts" }, ...buttons));
		}
		parts.push(...attemptDetails(t, t.attempts[at]));
		box.replaceChildren(...parts);
		box.scrollTop = 0;
	}
	function chooseTest(index, attempt = -1) {
		state.test = index;
		state.attempt = attempt;
		list.mark(shown.findIndex((t) => t.index === index));
		pathList.mark(path.findIndex((step) => step.test.index === index));
		showDetails();
		timeline.draw();
		saveState();
	}

	/* ---- the timeline ---- */

	const timeline = (() => {
		const box = $("timeline"), canvas = $("canvas"), tip = $("tip");
		const ROW = 20, AXIS = 26, MACHINE = 26;
		const view = { from: 0, to: end };
		let names = 120, width = 0, height = 0, isAsked = false, colours = {};
		let lines = []; /* machines and tracks, from top to bottom */
		let at = null; /* the stay that the keys have reached */

		/* Slots first, then resources, machine by machine. */
		function layOut() {
			const machines = [...new Set(tracks.map((t) => t.machine))];
			const isNamed = machines.length > 1 || machines[0];
			let top = AXIS;
			for (const machine of machines) {
				const own = tracks.filter((t) => t.machine === machine);
				own.sort((a, b) => b.slot - a.slot || a.name.localeCompare(b.name, "en", { numeric: true }));
				if (isNamed) {
					lines.push({ top, height: MACHINE, machine: machine || "this machine" });
					top += MACHINE;
				}
				for (const track of own) {
					track.top = top;
					lines.push({ top, height: ROW, track });
					top += ROW;
				}
			}
			$("spacer").style.height = `${top + 8}px`;
			return top + 8;
		}
		for (const t of tracks) {
			t.slot = /^slot \d+$/.test(t.name);
			t.stays.sort((a, b) => a.attempt.began - b.attempt.began);
		}
		const whole = layOut();
		const xOf = (ms) => names + (ms - view.from) / (view.to - view.from) * (width - names - 12);
		const timeOf = (x) => view.from + (x - names) / (width - names - 12) * (view.to - view.from);

		function readColours() {
			const style = getComputedStyle(document.documentElement);
			for (const name of [...Object.keys(CLASSES), "passed-bar", "ink", "soft", "line", "paper", "path", "accent", "hover"])
				colours[name] = style.getPropertyValue(`--${name}`).trim();
			colours.earlier = colours.unfinished;
		}
		function resize() {
			const scale = devicePixelRatio || 1;
			width = box.clientWidth;
			height = Math.min(box.clientHeight, Math.max(whole, 60));
			if (!width || !height) return false;
			if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
				canvas.width = Math.round(width * scale);
				canvas.height = Math.round(height * scale);
				canvas.style.height = `${height}px`;
				$("spacer").style.marginTop = `${-height}px`;
			}
			canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
			names = Math.min(170, Math.max(80, width / 6));
			return true;
		}
		function step(most) {
			for (let unit = 0.001; ; unit *= 10)
				for (const factor of [1, 2, 5])
					if (unit * factor >= most) return unit * factor;
		}
		function axisText(ms, unit) {
			if (unit >= 1000) return ms >= 60000 ? duration(ms) : `${Math.round(ms / 1000)} s`;
			return `${(ms / 1000).toFixed(unit >= 100 ? 1 : unit >= 10 ? 2 : unit >= 1 ? 3 : 6)} s`;
		}
		function drawAxis(c) {
			const unit = step((view.to - view.from) / Math.max(2, (width - names) / 95));
			c.fillStyle = colours.paper;
			c.fillRect(0, 0, width, AXIS);
			c.font = font(12);
			c.textBaseline = "middle";
			for (let k = Math.ceil(view.from / unit); k * unit <= view.to; k++) {
				const x = Math.round(xOf(k * unit)) + 0.5;
				c.fillStyle = colours.line;
				c.fillRect(x, AXIS - 5, 1, height);
				const text = axisText(k * unit, unit), room = c.measureText(text).width;
				c.fillStyle = colours.soft;
				if (x - room / 2 > names - 8) c.fillText(text, Math.min(x - room / 2, width - room - 2), AXIS / 2 - 1);
			}
		}
		const families = getComputedStyle(document.body).fontFamily;
		const font = (size) => `${size}px ${families}`;

		/* Stays that share a pixel are drawn once. */
		function drawTrack(c, track, top) {
			const stays = track.stays;
			let low = 0, high = stays.length, last = -1, lastClass = "";
			while (low < high) {
				const middle = (low + high) >> 1;
				if (stays[middle].attempt.ended < view.from) low = middle + 1;
				else high = middle;
			}
			c.fillStyle = colours.hover;
			c.fillRect(names, top + 2, width - names - 12, ROW - 4);
			for (let i = low; i < stays.length && stays[i].attempt.began <= view.to; i++) {
				const a = stays[i].attempt, kind = classOf(a);
				const left = Math.max(names, xOf(a.began)), right = Math.min(width - 12, xOf(a.ended));
				const isBad = kind === "failed";
				if (right <= last && (!isBad || lastClass === kind)) continue;
				const wide = Math.max(right - left, isBad ? 2 : 1);
				c.globalAlpha = passes[a.test] ? 1 : 0.18;
				c.fillStyle = kind === "passed" ? colours["passed-bar"] : colours[kind];
				c.fillRect(left, top + 3, wide > 3 ? wide - 1 : wide, ROW - 6);
				if (wide > 46) drawName(c, tests[a.test].name, kind === "passed" ? colours.ink : colours.paper, left, top, wide);
				c.globalAlpha = 1;
				if (wide < 2) {
					last = left + 0.8;
					lastClass = kind;
				}
			}
		}
		function drawName(c, name, colour, left, top, wide) {
			c.save();
			c.beginPath();
			c.rect(left, top, wide - 6, ROW);
			c.clip();
			c.fillStyle = colour;
			c.font = font(11.5);
			c.fillText(name, left + 5, top + ROW / 2 + 0.5);
			c.restore();
		}
		function outline(c, a, colour, wide) {
			for (const stay of a.stays) {
				const top = tracks[stay.track].top - box.scrollTop;
				const left = Math.max(names, xOf(a.began)), right = Math.min(width - 12, xOf(a.ended));
				if (right < names || left > width - 12 || top < AXIS - ROW || top > height) continue;
				c.strokeStyle = colour;
				c.lineWidth = wide;
				c.strokeRect(left - 0.5, top + 2, Math.max(right - left, 2), ROW - 4);
			}
		}
		const topOf = (a) => tracks[(a.stays.find((s) => tracks[s.track].slot) || a.stays[0]).track].top - box.scrollTop;

		/* Steps that are too short to be seen are left out, or their lines would hide the tests. */
		function drawPath(c) {
			c.strokeStyle = colours.path;
			c.lineWidth = 1.5;
			let before = null;
			for (const s of path) {
				const first = s.first, last = s.test.attempts[s.test.attempts.length - 1];
				if (!first.stays.length || !last.stays.length) continue;
				const left = xOf(s.began), right = xOf(s.ended), y = topOf(first) + ROW - 2;
				if (right - left < 2) {
					before = null;
					continue;
				}
				c.beginPath();
				if (before) {
					c.moveTo(before.x, before.y);
					c.lineTo(left, y);
				} else c.moveTo(left, y);
				c.lineTo(right, topOf(last) + ROW - 2);
				if (right >= names - 40 && left <= width) c.stroke();
				before = { x: right, y: topOf(last) + ROW - 2 };
			}
		}
		function drawNames(c) {
			c.fillStyle = colours.paper;
			c.fillRect(0, AXIS, names - 4, height);
			for (const line of lines) {
				const top = line.top - box.scrollTop;
				if (top < AXIS - ROW || top > height) continue;
				c.fillStyle = line.machine ? colours.ink : colours.soft;
				c.font = line.machine ? `600 ${font(13)}` : font(12.5);
				c.save();
				c.beginPath();
				c.rect(0, AXIS, line.machine ? width : names - 8, height);
				c.clip();
				c.fillText(line.machine || line.track.name, line.machine ? 16 : 28, top + line.height / 2 + 0.5);
				c.restore();
			}
		}
		function drawAll() {
			isAsked = false;
			if (box.offsetParent === null || !resize()) return;
			const c = canvas.getContext("2d");
			c.clearRect(0, 0, width, height);
			drawAxis(c);
			c.save();
			c.beginPath();
			c.rect(0, AXIS, width, height);
			c.clip();
			for (const line of lines) {
				const top = line.top - box.scrollTop;
				if (line.track && top > -ROW && top < height) drawTrack(c, line.track, top);
			}
			c.save();
			c.beginPath();
			c.rect(names, AXIS, width - names - 11, height);
			c.clip();
			if ($("show-path").checked) drawPath(c);
			for (const a of tests[state.test]?.attempts || []) outline(c, a, colours.accent, 2.5);
			c.restore();
			drawNames(c);
			c.restore();
			$("range").textContent = view.from === 0 && view.to === end
				? `${duration(end)} on ${count(tracks.length)} track${tracks.length === 1 ? "" : "s"}`
				: `${moment(view.from)} to ${moment(view.to)}`;
		}
		function draw() {
			if (!isAsked) requestAnimationFrame(drawAll);
			isAsked = true;
		}
		/* factor below 1: nearer. The time around stays where it is. */
		function zoom(factor, around = at && at.attempt.ended > view.from && at.attempt.began < view.to
			? (Math.max(at.attempt.began, view.from) + Math.min(at.attempt.ended, view.to)) / 2 : (view.from + view.to) / 2) {
			const wide = Math.min(end, Math.max(0.02, (view.to - view.from) * factor));
			const part = (around - view.from) / (view.to - view.from);
			move(around - part * wide, wide);
		}
		function move(from, wide = view.to - view.from) {
			view.from = Math.min(Math.max(0, from), end - wide);
			view.to = view.from + wide;
			if (wide >= end) [view.from, view.to] = [0, end];
			draw();
		}
		function find(x, y) {
			const line = lines.find((l) => l.track && y >= l.top - box.scrollTop && y < l.top - box.scrollTop + ROW);
			if (!line || y < AXIS || x < names) return null;
			const near = timeOf(x + 2), far = timeOf(x - 2);
			let best = null;
			for (const stay of line.track.stays) {
				if (stay.attempt.began > near) break;
				if (stay.attempt.ended >= far && (!best || !passes[best.attempt.test] || passes[stay.attempt.test])) best = stay;
			}
			return best;
		}
		function showTip(stay, x, y) {
			if (!stay) {
				tip.hidden = true;
				return;
			}
			const a = stay.attempt, t = tests[a.test], held = holdings(a);
			tip.replaceChildren(element("b", {}, t.name), element("small", {}, sayResult(a) + (a.attempt > 1 ? ` · attempt ${a.attempt}` : "")),
				element("small", {}, `${moment(a.began)} to ${moment(a.ended)}${held ? ` · ${held}` : ""}`));
			tip.hidden = false;
			tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
			tip.style.top = `${y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 18}px`;
		}
		function take(stay) {
			if (!stay) return;
			const a = stay.attempt, wide = view.to - view.from;
			at = stay;
			if (a.ended < view.from || a.began > view.to) move(a.began - wide / 4);
			const top = tracks[stay.track].top;
			if (top - box.scrollTop < AXIS) box.scrollTop = top - AXIS;
			else if (top + ROW > box.scrollTop + height) box.scrollTop = top + ROW - height;
			chooseTest(a.test, tests[a.test].attempts.indexOf(a));
		}
		function nearest(track, ms) {
			let best = null, least = Infinity;
			for (const stay of track.stays) {
				const apart = Math.max(stay.attempt.began - ms, ms - stay.attempt.ended, 0);
				if (apart < least) [best, least] = [stay, apart];
			}
			return best;
		}
		function keyStart() {
			const chosen = tests[state.test]?.attempts.at(-1)?.stays[0];
			return chosen || nearest(lines.find((l) => l.track).track, view.from);
		}
		function walk(key) {
			if (!at || at.attempt.test !== state.test) {
				take(keyStart());
				return;
			}
			const track = tracks[at.track], own = lines.filter((l) => l.track).map((l) => l.track);
			if (key === "ArrowLeft" || key === "ArrowRight")
				take(track.stays[track.stays.indexOf(at) + (key === "ArrowLeft" ? -1 : 1)]);
			else {
				const next = own[own.indexOf(track) + (key === "ArrowUp" ? -1 : 1)];
				if (next) take(nearest(next, at.attempt.began));
			}
		}
		let drag = null;
		canvas.addEventListener("pointerdown", (e) => {
			drag = { x: e.offsetX, from: view.from, moved: false };
			canvas.setPointerCapture(e.pointerId);
		});
		canvas.addEventListener("pointermove", (e) => {
			if (drag) {
				const by = e.offsetX - drag.x;
				drag.moved ||= Math.abs(by) > 4;
				if (drag.moved) move(drag.from - by / (width - names - 12) * (view.to - view.from));
			}
			showTip(drag?.moved ? null : find(e.offsetX, e.offsetY), e.clientX, e.clientY);
		});
		canvas.addEventListener("pointerup", (e) => {
			if (drag && !drag.moved) take(find(e.offsetX, e.offsetY));
			drag = null;
		});
		canvas.addEventListener("pointercancel", () => { drag = null; });
		canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
		canvas.addEventListener("dblclick", (e) => zoom(0.4, timeOf(e.offsetX)));
		box.addEventListener("wheel", (e) => {
			if (e.ctrlKey || e.metaKey) zoom(Math.exp(e.deltaY / 250), timeOf(e.offsetX));
			else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
				move(view.from + (e.deltaX || e.deltaY) / width * (view.to - view.from));
			else return;
			e.preventDefault();
		}, { passive: false });
		box.addEventListener("scroll", draw, { passive: true });
		new ResizeObserver(draw).observe(box);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
			readColours();
			draw();
		});
		readColours();
		$("show-path").addEventListener("change", draw);
		$("zoom-in").addEventListener("click", () => zoom(0.5));
		$("zoom-out").addEventListener("click", () => zoom(2));
		$("zoom-all").addEventListener("click", () => move(0, end));
		return { draw, zoom, walk, all: () => move(0, end), view };
	})();

	/* ---- controls ---- */

	function showChips(counts) {
		const box = $("classes");
		const chip = (value, text, n, kind) => {
			const b = element("button", { class: kind, "aria-pressed": state.result === value, "data-result": value },
				`${text} `, element("b", {}, count(n)));
			b.addEventListener("click", () => setFilter({ result: state.result === value ? "" : value }));
			return b;
		};
		const focus = box.contains(document.activeElement) ? document.activeElement.dataset.result : null;
		const all = Object.values(counts).reduce((a, b) => a + b, 0);
		const chips = [chip("", "All", all)];
		for (const name of Object.keys(CLASSES))
			if (tests.some((t) => t.class === name) || state.result === name)
				chips.push(chip(name, CLASSES[name][0], counts[name] || 0, name));
		box.replaceChildren(...chips);
		if (focus !== null) box.querySelector(`[data-result="${focus}"]`)?.focus();
	}
	function showControls() {
		if ($("search").value !== state.q) $("search").value = state.q;
		$("label").value = state.label;
		$("sort").value = state.sort;
		for (const view of ["tests", "timeline", "path"]) {
			const tab = $(`tab-${view}`), isOn = state.view === view;
			tab.setAttribute("aria-selected", isOn);
			tab.tabIndex = isOn ? 0 : -1;
			$(`view-${view}`).hidden = !isOn;
		}
		document.querySelector(".columns").classList.toggle("wide", state.view !== "tests");
	}
	function refresh() {
		filterTests();
		list.set(shown, shown.findIndex((t) => t.index === state.test));
		timeline.draw();
		saveState();
	}
	function setFilter(change) {
		Object.assign(state, change);
		$("list").scrollTop = 0;
		showControls();
		refresh();
	}
	function setView(view) {
		state.view = view;
		showControls();
		showDetails();
		list.draw();
		list.reveal();
		pathList.draw();
		pathList.reveal();
		timeline.draw();
		saveState();
	}
	const homeOf = { tests: "list", timeline: "timeline", path: "path" };
	const goHome = () => $(homeOf[state.view]).focus({ preventScroll: true });

	/* ---- keys ---- */

	function chooseRow(by) {
		const rows = state.view === "path" ? path.map((s) => s.test) : shown;
		const now = rows.findIndex((t) => t.index === state.test);
		const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + by));
		if (rows[next]) chooseTest(rows[next].index);
	}
	function chooseFailure(by) {
		const now = shown.findIndex((t) => t.index === state.test);
		for (let i = now < 0 && by < 0 ? shown.length - 1 : now + by; i >= 0 && i < shown.length; i += by)
			if (FAILURES.has(shown[i].class)) return chooseTest(shown[i].index);
	}
	const pageOf = () => Math.max(1, Math.floor($(homeOf[state.view]).clientHeight / 36) - 1);
	function toggleHelp() {
		const help = $("help");
		help.hidden = !help.hidden;
		$("keys").setAttribute("aria-expanded", String(!help.hidden));
	}
	function leaveStep() {
		if (!$("help").hidden) toggleHelp();
		else if ($("details").contains(document.activeElement)) goHome();
		else if (state.q || state.result || state.label) setFilter({ q: "", result: "", label: "" });
	}
	const KEYS = {
		"/": () => $("search").select(),
		"?": toggleHelp,
		j: () => chooseRow(1),
		k: () => chooseRow(-1),
		n: () => chooseFailure(1),
		p: () => chooseFailure(-1),
		f: () => setFilter({ result: state.result === "failures" ? "" : "failures" }),
		1: () => setView("tests"),
		2: () => setView("timeline"),
		3: () => setView("path"),
		"+": () => timeline.zoom(0.5),
		"=": () => timeline.zoom(0.5),
		"-": () => timeline.zoom(2),
		0: () => timeline.all(),
		Escape: leaveStep,
	};
	const ROW_KEYS = {
		ArrowDown: () => chooseRow(1),
		ArrowUp: () => chooseRow(-1),
		PageDown: () => chooseRow(pageOf()),
		PageUp: () => chooseRow(-pageOf()),
		Home: () => chooseRow(-Infinity),
		End: () => chooseRow(Infinity),
	};
	const SEARCH_KEYS = {
		Escape: () => {
			setFilter({ q: "" });
			goHome();
		},
		Enter: () => {
			goHome();
			if (state.view === "tests" && !passes[state.test]) chooseRow(1);
		},
		ArrowDown: () => {
			goHome();
			if (state.view === "tests") chooseRow(1);
		},
	};
	/* Home and End are not wanted where the rows do not have the focus. */
	function actionOf(e) {
		const focus = document.activeElement, isHome = focus === document.body || focus === $(homeOf[state.view]);
		if (focus === $("search")) return SEARCH_KEYS[e.key];
		if (focus.tagName === "SELECT") return undefined;
		if (e.key === "Enter" && isHome) return () => $("details").focus();
		if (isHome && state.view === "timeline" && e.key.startsWith("Arrow")) return () => timeline.walk(e.key);
		if (isHome && state.view !== "timeline" && e.key in ROW_KEYS) return ROW_KEYS[e.key];
		if (focus.getAttribute("role") === "tab" && (e.key === "ArrowLeft" || e.key === "ArrowRight")) return () => {
			const views = ["tests", "timeline", "path"];
			setView(views[(views.indexOf(state.view) + (e.key === "ArrowRight" ? 1 : 2)) % 3]);
			$(`tab-${state.view}`).focus();
		};
		return KEYS[e.key];
	}
	document.addEventListener("keydown", (e) => {
		const action = e.ctrlKey || e.metaKey || e.altKey ? undefined : actionOf(e);
		if (!action) return;
		e.preventDefault();
		action();
	});

	/* ---- begin ---- */

	function fillLabels() {
		const numbers = new Map(run.labels.map((l) => [l, 0]));
		for (const t of tests) for (const l of t.labels) numbers.set(l, numbers.get(l) + 1);
		const select = $("label");
		select.append(element("option", { value: "" }, "All labels"));
		for (const label of [...run.labels].sort())
			select.append(element("option", { value: label }, `${label} (${count(numbers.get(label))})`));
		select.parentElement.hidden = !run.labels.length;
	}
	function sayPath() {
		const ran = path.reduce((sum, s) => sum + s.ended - s.began, 0);
		const n = path.length;
		$("path-text").textContent = n
			? `${n === 1 ? "This test" : `These ${count(n)} tests`} kept the run from ending sooner: they ran ${duration(ran)} of its ${duration(run.duration)}.`
			: "";
	}
	for (const t of tests) {
		const last = t.attempts[t.attempts.length - 1];
		t.last = last ? last.result : "";
	}
	fillLabels();
	sayPath();
	pathList.set(path, -1);
	$("search").addEventListener("input", () => setFilter({ q: $("search").value }));
	$("label").addEventListener("change", () => setFilter({ label: $("label").value }));
	$("sort").addEventListener("change", () => setFilter({ sort: $("sort").value }));
	$("keys").addEventListener("click", toggleHelp);
	for (const tab of document.querySelectorAll("[data-view]"))
		tab.addEventListener("click", () => setView(tab.dataset.view));
	function begin() {
		loadState();
		showControls();
		refresh();
		pathList.mark(path.findIndex((s) => s.test.index === state.test));
		list.mark(list.chosen);
		showDetails();
	}
	document.documentElement.classList.add("js");
	$("app").hidden = false;
	begin();
	/* The first failure is what most readers look for. */
	if (state.test < 0 && shown.length && FAILURES.has(shown[0].class)) chooseTest(shown[0].index);
	isReady = true;
	addEventListener("hashchange", begin);
	goHome();
})();
