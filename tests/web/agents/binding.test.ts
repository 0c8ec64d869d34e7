import { describe, expect, test } from "bun:test";
import type { AgentSession } from "../../../src/protocol/agents.ts";
import { agentOf, uuid } from "../../review/works.ts";
import { candidateOf, stage } from "./stage.ts";
import type { Answer, Call } from "../../support/page-server.ts";

const id = uuid(1);
const drawn = agentOf(1, {
  association: "ambiguous",
  pane_id: null,
  binding_revision: 4,
  binding_candidates: [candidateOf("%1"), candidateOf("%2")],
});
const bound: AgentSession = agentOf(1, { pane_id: "%2", binding_revision: 5, revision: 2 });

const isWord = ({ method }: Call) => method === "PUT" || method === "DELETE";
/** A stage that answers choices with `answer`, and readings of the session with `now`. */
function saying(answer: () => Answer, now: () => Answer = () => ({ body: drawn })) {
  const staged = stage((call) => (isWord(call) ? answer() : now()));
  const words = () => staged.calls.filter(isWord);
  const known = () => staged.workspace.agent(id).agent.value;
  return { ...staged, words, known };
}

const refusedAs = (kind: string) => ({ ok: false, failure: { kind } });

describe("the choice of a session's pane", () => {
  test("is refused where the pane is not there any more, and the session is read again", async () => {
    const now = agentOf(1, { ...drawn, binding_candidates: [candidateOf("%1")], revision: 4 });
    const { workspace, known } = saying(
      () => ({ status: 404, body: { detail: "pane %2 is not observed" } }),
      () => ({ body: now }),
    );
    expect(await workspace.bind(drawn, "%2")).toMatchObject({ failure: { status: 404 } });
    expect(known()?.binding_candidates).toHaveLength(1);
  });

  test.each([
    ["is confirmed where the session then has the pane", { body: bound }, { ok: true }],
    ["is in doubt where the session then lacks the pane", { body: drawn }, refusedAs("lost")],
    ["is in doubt where the session cannot be read", "lost", refusedAs("lost")],
  ] as const)("whose reply is lost %s", async (_, now, outcome) => {
    const { workspace, words } = saying(
      () => "lost",
      () => now,
    );
    expect(await workspace.bind(drawn, "%2")).toMatchObject(outcome);
    expect(words()).toHaveLength(1);
  });

  test("is refused with the server's reason", async () => {
    const detail = "agent context is disabled";
    const { workspace } = saying(() => ({ status: 503, body: { detail } }));
    expect(await workspace.bind(drawn, "%2")).toMatchObject({ failure: { status: 503, detail } });
  });
});
