import { expect, test } from "bun:test";
import {
  crumbsOf,
  FIRST_WANTED,
  isInside,
  nameProblem,
  parentsOn,
  requestFor,
  sessionNames,
} from "../../web/model/creation.ts";
import { directoryListing } from "../support/fixture-replies.ts";
import { pane } from "../support/pane.ts";

test("an agent may be told a first message, a shell is told none", () => {
  const told = { ...wanted, message: " Count the apples\n" };
  expect(requestFor({ ...told, runtime: "agent_a" })).toMatchObject({
    first_message: "Count the apples",
  });
  expect(requestFor(told)).not.toHaveProperty("first_message");
  expect(requestFor({ ...wanted, runtime: "agent_a", message: " " })).not.toHaveProperty(
    "first_message",
  );
});

const wanted = { ...FIRST_WANTED, runtime: "shell" as const, path: "/home/dev/code/web" };

test("a request has the members of its type and no others", () => {
  expect(requestFor(wanted)).toEqual({
    type: "session",
    cwd: "/home/dev/code/web",
    runtime: "shell",
    name: null,
  });
  expect(requestFor({ ...wanted, type: "window", session: "api", name: "web-2" })).toEqual({
    type: "window",
    cwd: "/home/dev/code/web",
    runtime: "shell",
    parent_session: "api",
    name: "web-2",
  });
  expect(requestFor({ ...wanted, type: "pane", paneId: "%14", name: "left over !" })).toEqual({
    type: "pane",
    cwd: "/home/dev/code/web",
    runtime: "shell",
    parent_pane_id: "%14",
    split: "side_by_side",
    size_percent: 50,
  });
});

test("a request for another machine names it", () => {
  expect(requestFor({ ...wanted, host: "gpu-1" })).toMatchObject({
    type: "session",
    host: "gpu-1",
  });
});

test("what stands beside the new one is on its machine", () => {
  const on = (id: string, host: string | null, session: string) =>
    pane({
      id,
      host,
      hierarchy: [{ kind: "session", id: session, label: session, position: null }],
    });
  const panes = [
    on("%1", null, "api"),
    on("%1000001", "gpu-1", "ml"),
    on("%1000002", "gpu-1", "eval"),
  ];
  expect(sessionNames(panes, null)).toEqual(["api"]);
  expect(sessionNames(panes, "gpu-1")).toEqual(["ml", "eval"]);
  expect(parentsOn(panes, "gpu-1", "%1")).toEqual({
    host: "gpu-1",
    paneId: "%1000001",
    session: "ml",
  });
  expect(parentsOn(panes, "build", null)).toEqual({ host: "build", paneId: null, session: null });
});

test("nothing is asked for while something is missing or wrong", () => {
  expect(requestFor(FIRST_WANTED)).toBeNull();
  expect(requestFor({ ...wanted, name: "a b" })).toBeNull();
  expect(requestFor({ ...wanted, type: "window" })).toBeNull();
  expect(requestFor({ ...wanted, type: "pane" })).toBeNull();
  expect(nameProblem("a.b")).toBe("characters");
  expect(nameProblem("a".repeat(65))).toBe("length");
  expect(nameProblem("a".repeat(64))).toBeNull();
});

test("the way to a folder begins at its root", () => {
  expect(crumbsOf(directoryListing("/home/dev/code/web"))).toEqual([
    { name: "code", path: "/home/dev/code" },
    { name: "web", path: "/home/dev/code/web" },
  ]);
});

test("a folder beside a root with a longer name is not inside it", () => {
  const roots = [{ label: "code", path: "/home/dev/code" }];
  expect(isInside("/home/dev/code", { roots })).toBe(true);
  expect(isInside("/home/dev/code/web", { roots })).toBe(true);
  expect(isInside("/home/dev/codex", { roots })).toBe(false);
});
