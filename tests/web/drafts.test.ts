import { expect, test } from "bun:test";
import fc from "fast-check";
import { draftKey, draftPlace, followPrompt, parseDraft } from "../../web/model/drafts.ts";
import type { Pane } from "../../web/model/pane.ts";
import { BrowserStorage } from "../../web/state/browser/storage.ts";
import type { Drafts } from "../../web/state/server/drafts.ts";
import { serverOf } from "../support/page-server.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { pane } from "../support/pane.ts";
import { forAll } from "../support/laws.ts";

const DAY_MS = 86_400_000;
const WRITTEN = { text: "careful words", choice: null, name: "api", savedAt: 1_000 };
const NOTHING = { images: [], remarks: [], writing: null, edits: {}, beside: [] };
const stored = JSON.stringify(WRITTEN);

test("a stored draft is kept for seven days, an invalid one is dropped, and an invalid choice keeps the text", () => {
  expect(parseDraft(stored, 1_000 + 7 * DAY_MS)?.text).toBe("careful words");
  expect(parseDraft(stored, 1_001 + 7 * DAY_MS)).toBeNull();
  for (const text of [null, "", "{", "null", "[]", '{"text":1,"savedAt":1}', '{"text":"x"}'])
    expect(parseDraft(text, 0)).toBeNull();
  const broken = JSON.stringify({ ...WRITTEN, choice: { key: 3 } });
  expect(parseDraft(broken, 1_000)).toMatchObject({ text: "careful words", choice: null });
});

test("the text of a reply stays when the prompt changes, its choice does not", () => {
  const reply = { ...NOTHING, ...WRITTEN, choice: { key: "3", signature: "this" } };
  expect(followPrompt(reply, "this")).toBe(reply);
  expect(followPrompt(reply, "another")).toEqual({ ...reply, choice: null });
  expect(followPrompt(reply, null).text).toBe("careful words");
});

test("for any ids: a draft's key is read back for its own server alone", () => {
  const id = fc.stringMatching(/^[0-9a-f]{4,16}$/);
  const text = fc.string({ unit: "grapheme" });
  forAll([id, id, text, text], (server, other, target, paneId) => {
    const place = { id: paneId, target };
    expect(draftPlace(draftKey(server, place), server)).toEqual(place);
    if (server !== other) expect(draftPlace(draftKey(server, place), other)).toBeNull();
  });
});

const PANE = pane({ id: "%1", target: "api:1.1" });
const NEXT = pane({ id: "%2", target: "api:2.1" });
const ELSEWHERE = pane({ id: "%7", target: "web:1.1" });
/** As earlier versions have written it. */
const KEY = "panewatch.draft.here.api%3A1.1#%251";

const draftsOf = (
  storage: BrowserStorage,
  listed: () => readonly Pane[],
  instance = () => "here",
) => serverOf({ storage, instance, panes: { all: { peek: listed } } }).drafts;

/** Drafts of a page that lists these panes; the list is the test's to change. */
function openDrafts(listed: Pane[] = [PANE], storage = new MemoryStorage()) {
  const keep = new BrowserStorage(() => storage);
  const drafts = draftsOf(keep, () => listed);
  return { drafts, storage, keep, listed };
}

const textOf = (drafts: Drafts, of: Pane) => drafts.of(of).value.text;

const moved = { ...PANE, target: "web:9.2" };
const again = pane({ id: "%0", target: PANE.target });
const elsewhereAgain = pane({ id: "%4", target: ELSEWHERE.target });
// tmux renumbers: what stood behind a pane that was closed takes its place.
const neighbour = { ...NEXT, target: PANE.target };
const later = pane({ id: "%9", target: PANE.target });

test.each<[string, Pane[], boolean]>([
  ["that has moved has the draft", [moved, ELSEWHERE], true],
  ["that a restart has put in its place has the draft", [again, elsewhereAgain], true],
  ["that takes the place of a closed pane does not have the draft", [neighbour, ELSEWHERE], false],
  [
    "that takes the place of a closed pane, and is alone, does not have the draft",
    [neighbour],
    false,
  ],
  ["that was opened later in that place does not have the draft", [later, ELSEWHERE], false],
])("a pane %s, in the page and after a reload", (_, panes, comesBack) => {
  const { drafts, storage, listed } = openDrafts([PANE, NEXT, ELSEWHERE]);
  const [first = PANE] = panes;
  drafts.set(PANE, { text: "rm -rf build" });
  drafts.saveAll();
  listed.splice(0, listed.length, ...panes);
  for (const page of [drafts, openDrafts(panes, storage).drafts]) {
    expect(textOf(page, first)).toBe(comesBack ? "rm -rf build" : "");
    const orphans = page.orphans(panes).map(({ draft }) => draft.text);
    expect(orphans).toEqual(comesBack ? [] : ["rm -rf build"]);
  }
});

test("a server at the address of another gets none of the other's drafts", () => {
  const storage = new MemoryStorage();
  let server = "first";
  const drafts = draftsOf(
    new BrowserStorage(() => storage),
    () => [PANE],
    () => server,
  );
  drafts.set(PANE, { text: "for the first" });
  drafts.saveAll();
  server = "second";
  expect(textOf(drafts, PANE)).toBe("");
  server = "first";
  expect(textOf(drafts, PANE)).toBe("for the first");
});

test("a page that was frozen reads its drafts again, and keeps those that could not be stored", () => {
  const { drafts, storage } = openDrafts();
  drafts.set(PANE, { text: "sent by another tab meanwhile" });
  drafts.saveAll();
  storage.removeItem(KEY);
  drafts.follow();
  expect(textOf(drafts, PANE)).toBe("");
  // A draft that the storage has no room for stays in the page.
  storage.isFull = true;
  drafts.set(PANE, { text: "nowhere but here" });
  drafts.saveAll();
  drafts.follow();
  expect(textOf(drafts, PANE)).toBe("nowhere but here");
});

test("an unsaved draft is not stored after signing out", () => {
  const over = new AbortController();
  const storage = new MemoryStorage();
  const panes = { all: { peek: () => [PANE] } };
  const { drafts } = serverOf({ memory: storage, panes, signedOut: over.signal });
  drafts.set(PANE, { text: "half a sen" });
  over.abort();
  drafts.saveAll();
  expect(storage.length).toBe(0);
});

test("the list of drafts reads each stored draft once, however many panes there are", () => {
  const storage = new MemoryStorage();
  const listed = Array.from({ length: 200 }, (_, i) => pane({ id: `%${i}`, target: `a:${i}.1` }));
  const ended = Array.from({ length: 30 }, (_, i) => pane({ id: `%9${i}`, target: `b:${i}.1` }));
  const earlier = openDrafts([...listed, ...ended], storage).drafts;
  for (const each of ended) earlier.set(each, { text: `for ${each.id}` });
  earlier.saveAll();
  let reads = 0;
  const counted = new BrowserStorage(
    () =>
      new Proxy(storage, {
        get: (target, member) => {
          const value: unknown = Reflect.get(target, member);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            reads++;
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      }),
  );
  const drafts = draftsOf(counted, () => listed);
  expect(drafts.orphans(listed).length).toBe(30);
  expect(drafts.orphans(listed).length).toBe(30);
  for (const each of listed) expect(textOf(drafts, each)).toBe("");
  // Each key and its text, and each pane's own draft as it is opened.
  expect(reads).toBeLessThanOrEqual(2 * 30 + listed.length);
});

test("a draft that is too old is removed from the storage, also one of another server", () => {
  const storage = new MemoryStorage();
  const old = JSON.stringify({ ...WRITTEN, savedAt: Date.now() - 8 * DAY_MS });
  storage.setItem(KEY, old);
  storage.setItem(draftKey("elsewhere", PANE), old);
  storage.setItem("another program's", "kept");
  openDrafts([PANE], storage).drafts.orphans([PANE]);
  expect(storage.length).toBe(1);
});

/** Two tabs of one browser: each hears of what the other has stored. */
class Tabs {
  readonly #storage = new MemoryStorage();
  #listed: readonly Pane[] = [PANE, ELSEWHERE];
  #tabs: readonly [Drafts, Drafts] = [this.#open(), this.#open()];

  /** Types one more word. A person writes the text in one tab and remarks on lines in the other. */
  type(where: "text" | "writing" | "remarks" | "edits", word: string): void {
    const [of] = this.#listed;
    if (of === undefined) return;
    const tab = this.#tabs[where === "text" || where === "writing" ? 0 : 1];
    const { text, writing, remarks, edits } = tab.of(of).peek();
    if (where === "text") tab.set(of, { text: text + word });
    if (where === "writing") tab.set(of, { writing: remark(`${writing?.words ?? ""}${word}`) });
    if (where === "remarks") tab.set(of, { remarks: [...remarks, remark(word)] });
    if (where === "edits") tab.set(of, { edits: { ...edits, m1: `${edits["m1"] ?? ""}${word}` } });
  }

  save(at: 0 | 1): void {
    this.#tabs[at].saveAll();
    this.#tabs[1 - at]?.follow(draftKey("here", this.#listed[0] ?? PANE));
  }

  /** Every pane comes back in its place as another one; with `closed`, one of them in another's. */
  change(run: number, closed: boolean): void {
    this.save(0);
    this.save(1);
    const [first = PANE, ...others] = this.#listed;
    this.#listed = closed
      ? [{ ...first, id: `%closed${run}` }, ...others]
      : [first, ...others].map(({ target }, i) => pane({ id: `%${run}.${i}`, target }));
    this.#tabs = [this.#open(), this.#open()];
  }

  /** All drafts that a person can reach. */
  get shown(): string {
    const drafts = this.#tabs.flatMap((tab) => [
      ...this.#listed.map((one) => tab.of(one).peek()),
      ...tab.orphans(this.#listed).map(({ draft }) => draft),
    ]);
    return JSON.stringify(drafts);
  }

  /** The drafts at the first listed place, where another pane was. */
  get ofStranger(): string {
    return JSON.stringify(this.#tabs.map((tab) => tab.of(this.#listed[0] ?? PANE).peek()));
  }

  #open(): Drafts {
    const storage = new BrowserStorage(() => this.#storage);
    return draftsOf(storage, () => this.#listed);
  }
}

const act = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("text", "writing", "remarks", "edits") },
  { weight: 3, arbitrary: fc.constantFrom<0 | 1>(0, 1) },
  { weight: 1, arbitrary: fc.constantFrom("restart", "close") },
);

test("for any acts in two tabs: no typed word is lost, and none shows at another pane", () => {
  forAll([fc.array(act, { maxLength: 25 })], (acts) => {
    const tabs = new Tabs();
    const words: string[] = [];
    let closed = 0;
    for (const [i, one] of acts.entries()) {
      if (typeof one === "number") tabs.save(one);
      else if (one === "restart") tabs.change(i, false);
      else if (one === "close") {
        tabs.change(i, true);
        const ofIt = words.slice(closed);
        expect(ofIt.filter((word) => tabs.ofStranger.includes(word))).toEqual([]);
        closed = words.length;
      } else {
        words.push(`<${i}>`);
        tabs.type(one as "text", `<${i}>`);
      }
      const { shown } = tabs;
      expect(words.filter((word) => !shown.includes(word))).toEqual([]);
    }
  });
});

test("sending a draft removes only what was sent", () => {
  const { drafts } = openDrafts();
  const image = { name: "a.png", text: "'/a.png'", expiresAt: 9e9 };
  drafts.set(PANE, { text: "look", images: [image], remarks: [remark("one"), remark("two")] });
  const sent = drafts.of(PANE).peek();
  drafts.set(PANE, { text: "look again", remarks: [...sent.remarks, remark("three")] });
  drafts.sent(PANE, { ...sent, remarks: [remark("one"), { ...remark("two"), words: "older" }] });
  const { text, images, remarks } = drafts.of(PANE).peek();
  expect([text, images, remarks.map(({ words }) => words)]).toEqual([
    ...["look again", []],
    ["two", "three"],
  ]);
});

function remark(words: string) {
  const side = "new" as const;
  return { ...{ id: words, top: "/t", path: "a.ts", side, line: 1, text: "a" }, words };
}
