import { beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { blankOut, casesSlice, Cases, MAX_CASES } from "../../src/cases/cases.ts";
import { parseScreen } from "../../src/detect/ansi.ts";
import { AppError } from "../../src/errors.ts";
import type { CaseSaveRequest } from "../../src/protocol/explain.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { FakeClock } from "../support/clock.ts";
import { forAll } from "../support/laws.ts";
import { pane } from "../support/pane.ts";
import { routed } from "../support/routed.ts";
import { findIn, inputOf, parseCase, readScreen } from "../support/screens.ts";
import { LISTED } from "../support/fake-hub.ts";
import { temporary } from "../support/temporary.ts";
import { jsonRequest } from "../support/json.ts";

const recorded = readScreen("claude", "permission-edit");
const observed = inputOf(recorded);
const finding = findIn(observed);
const reading: PaneReading = {
  pane: { ...LISTED, ...observed, command: "claude", title: "secret-title" },
  state: pane({
    kind: "agent_a",
    status: "needs_input",
    reason: finding.rule,
    agent: finding.agent,
  }),
  prompt: finding.prompt,
  composer: null,
  screen: observed.screen,
  finding,
  isUnsettled: false,
  lineAge: 0,
};

let folder: string;
let clock: FakeClock;
let cases: Cases;
beforeEach(async () => {
  folder = join(await temporary("cases"), "cases");
  clock = new FakeClock();
  cases = new Cases({ folder, clock });
});

const request = (draft: string, members: Partial<CaseSaveRequest> = {}): CaseSaveRequest => ({
  draft,
  blank: [],
  status: null,
  note: "",
  ...members,
});
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => "saved",
    (error: unknown) => (error instanceof AppError ? error.detail : error),
  );

test("a saved case gives the same finding again, in files that only the user can read", async () => {
  const { draft, lines } = cases.draft(reading);
  expect(lines).toEqual(observed.screen.lines.map(({ text }) => text));
  const { name } = await cases.save(request(draft));
  const path = join(folder, name);
  expect((await readdir(path)).sort()).toEqual(["case.json", "joined.txt", "styled.txt"]);
  for (const at of [folder, path]) expect((await stat(at)).mode & 0o777).toBe(0o700);
  for (const file of await readdir(path))
    expect((await stat(join(path, file))).mode & 0o777).toBe(0o600);
  const read = (file: string) => readFile(join(path, file), "utf8");
  const saved = parseCase(await read("case.json"));
  const again = findIn({ ...observed, screen: parseScreen(await read("styled.txt")) });
  expect(again).toEqual(finding);
  expect(saved.expected.menu.map(({ label }) => label)).toEqual(
    finding.prompt?.options.map(({ label }) => label) ?? [],
  );
});

test("blanked words stand in no file of a saved case, not even in the note", async () => {
  const { draft } = cases.draft(reading);
  const blank = ["greet", "secret-title", "Hello"];
  const { name } = await cases.save(request(draft, { blank, note: "greet was read wrong" }));
  for (const file of await readdir(join(folder, name))) {
    const text = await readFile(join(folder, name, file), "utf8");
    for (const word of blank) expect(Bun.stripANSI(text)).not.toContain(word);
  }
});

test("a saved case expects the status that the person gives", async () => {
  const { name } = await cases.save(request(cases.draft(reading).draft, { status: "working" }));
  const saved = parseCase(await readFile(join(folder, name, "case.json"), "utf8"));
  expect(saved.expected.status).toBe("working");
});

test("a draft is saved once, until it expires or newer drafts push it out", async () => {
  const gone = { reason: "draft_gone" };
  const { draft, expires_in } = cases.draft(reading);
  expect(await reasonOf(cases.save(request(draft)))).toBe("saved");
  expect(await reasonOf(cases.save(request(draft)))).toEqual(gone);
  const old = cases.draft(reading).draft;
  // A wall clock that is set meanwhile changes nothing.
  clock.adjustWall(-3600);
  clock.advance(expires_in);
  expect(await reasonOf(cases.save(request(old)))).toEqual(gone);
  const first = cases.draft(reading).draft;
  for (let i = 0; i < 8; i++) cases.draft(reading);
  expect(await reasonOf(cases.save(request(first)))).toEqual(gone);
});

test("a draft that is saved twice at once is saved once, whole", async () => {
  const { draft } = cases.draft(reading);
  const [first, second] = [cases.save(request(draft)), reasonOf(cases.save(request(draft)))];
  expect(await second).toEqual({ reason: "draft_gone" });
  const { name } = await first;
  expect(await readdir(folder)).toEqual([name]);
  expect(await readdir(join(folder, name))).toHaveLength(3);
});

test("a case beyond the maximum number is refused", async () => {
  for (let i = 0; i < MAX_CASES; i++) await mkdir(join(folder, `case-${i}`), { recursive: true });
  const work = cases.save(request(cases.draft(reading).draft));
  expect(await reasonOf(work)).toEqual({ reason: "too_many_cases" });
});

test("a case is refused with a storage error when its folder cannot be made, and saved later", async () => {
  await Bun.write(folder, "a file in its place");
  const { draft } = cases.draft(reading);
  const work = cases.save(request(draft));
  expect(await work.catch((error: unknown) => error)).toMatchObject({ kind: "storage" });
  await rm(folder);
  expect(await reasonOf(cases.save(request(draft)))).toBe("saved");
});

test("the routes draft a case of a pane and save it", async () => {
  const app = routed(
    casesSlice({
      ...{ folder, clock },
      hub: { resolve: (id) => (id === "%1" ? { id } : null) },
      read: async () => reading,
    }).routes,
  );
  const post = (path: string, body: unknown) => app.request(path, jsonRequest("POST", body));
  const drafted = await post("/api/cases", { id: "%1" });
  expect(drafted.status).toBe(200);
  const { draft } = await drafted.json();
  const saved = await post("/api/cases/save", request(draft));
  expect(saved.status).toBe(200);
  expect(await readdir(folder)).toEqual([(await saved.json()).name]);
});

test("a blanked word is replaced by as many x wherever it stands, and nothing else is", () => {
  expect(blankOut("cd /srv/acme; ls /srv/acme/src", ["/srv/acme"])).toBe(
    "cd xxxxxxxxx; ls xxxxxxxxx/src",
  );
  expect(blankOut("a.b acb", ["a.b"])).toBe("xxx acb");
  expect(blankOut("acme acme-api", ["acme", "acme-api"])).toBe("xxxx xxxxxxxx");
  expect(blankOut("two words", ["two words", ""])).toBe("xxx xxxxx");
  expect(blankOut("nothing", [])).toBe("nothing");
});

test("law: blanking keeps length, columns and line breaks, and leaves no blanked word", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "漢", "é", "🙂", "\n", "/") });
  forAll([text, fc.array(text, { maxLength: 4 })], (whole, words) => {
    const blanked = blankOut(whole, words);
    expect(blanked).toHaveLength(whole.length);
    expect(blanked.split("\n").map((line) => Bun.stringWidth(line))).toEqual(
      whole.split("\n").map((line) => Bun.stringWidth(line)),
    );
    for (const word of words)
      if (word.trim() !== "") expect(blankOut(whole, [word])).not.toContain(word);
  });
});
