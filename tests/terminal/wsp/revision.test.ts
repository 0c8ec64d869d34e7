import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Registry, type Route } from "../../../src/terminal/wsp/snapshot.ts";
import {
  type RevisionInput,
  nextRevision,
  type RevisionSteps,
} from "../../../src/terminal/wsp/listed.ts";
import { forAll } from "../../support/laws.ts";

function look(
  revision: number,
  title: string,
  more: { agent?: string; group?: number | null } = {},
): RevisionInput {
  const { agent = "codex", group } = more;
  return { wire: { revision, terminal_title_stripped: title, agent }, group };
}

const after = (...looks: RevisionInput[]) =>
  looks.reduce<RevisionSteps | null>((steps, each) => nextRevision(steps, each), null);

describe("the revision that an answer is bound to", () => {
  test("ignores titles that change by themselves, also those that changed back unseen", () => {
    const steps = after(
      look(3, "[ ! ] wait"),
      look(4, "[ . ] wait"),
      look(5, "[ ! ] wait"),
      look(7, "[ ! ] wait"),
      look(12, "[ . ] wait"),
    );
    expect(steps).toMatchObject({ unexplained: 0, incarnation: 0 });
  });

  test("counts steps that no title explains, and steps back", () => {
    expect(after(look(3, "same"), look(4, "same"))?.unexplained).toBe(1);
    // A change and back explains steps only where a title was seen to change.
    expect(after(look(3, "same"), look(5, "same"))?.unexplained).toBe(2);
    expect(after(look(3, "same"), look(0, "same"))?.unexplained).toBe(3);
  });

  test("ignores steps that changed tokens explain", () => {
    const first = look(1, "t");
    const second = { ...look(2, "t"), wire: { ...look(2, "t").wire, tokens: { used: 5 } } };
    expect(after(first, second)?.unexplained).toBe(0);
  });

  test("has a new incarnation for another agent, and for another process of the same agent", () => {
    expect(after(look(0, "", { group: 10 }), look(0, "", { group: 11 }))?.incarnation).toBe(1);
    expect(after(look(0, ""), look(0, "", { agent: "claude" }))?.incarnation).toBe(1);
  });

  test("keeps the incarnation while the process is not asked for or not known", () => {
    const steps = after(
      look(0, "", { group: 10 }),
      look(0, ""),
      look(0, "", { group: null }),
      look(0, "", { group: 10 }),
    );
    expect(steps).toMatchObject({ incarnation: 0, group: 10 });
  });
});

const ids = fc.integer({ min: 1, max: 4 }).map(String);
const route = fc.record({ terminal_id: ids, pane_id: ids, tab_id: ids, workspace_id: ids });
const routes = fc.uniqueArray(route, { selector: (each) => each.terminal_id, maxLength: 4 });

test("a handle lasts as long as its route, is never given again, and tells afterwards how it ended", () => {
  forAll([fc.array(routes, { minLength: 1, maxLength: 8 })], (passes) => {
    const registry = new Registry("here");
    const known = new Map<string, Route>();
    for (const pass of passes) {
      const handles = registry.assign(pass);
      expect(new Set(handles.map(({ id }) => id)).size).toBe(pass.length);
      handles.forEach(({ id }, index) => {
        const route = pass[index];
        if (!route) return;
        expect(known.get(id) ?? route).toEqual(route);
        known.set(id, route);
        expect(registry.has(id)).toBe(true);
        expect(registry.fateOf(id)).toBeNull();
      });
      const living = new Set(handles.map(({ id }) => id));
      for (const [id, { terminal_id }] of known) {
        expect(registry.has(id)).toBe(living.has(id));
        if (living.has(id)) continue;
        const isThere = pass.some((each) => each.terminal_id === terminal_id);
        expect(registry.fateOf(id)).toBe(isThere ? "moved" : "gone");
      }
    }
  });
});

test("a target depends on its route and its service, and stays over a restart of the service", () => {
  const route = { terminal_id: "t", pane_id: "p", tab_id: "x", workspace_id: "w" };
  const target = (scope: string, one: Route) => new Registry(scope).assign([one])[0]?.target;
  expect(target("here", route)).toBe(target("here", route) ?? "");
  expect(target("here", route)).not.toBe(target("there", route));
  expect(target("here", route)).not.toBe(target("here", { ...route, tab_id: "y" }));
});
