import { afterEach, describe, expect, test } from "bun:test";
import { type Card, CardsReply } from "../../src/protocol/cards.ts";
import { applyCards } from "../../src/protocol/delta.ts";
import { DeltaFrame, StateFrame } from "../../src/protocol/frames.ts";
import { rank } from "../../src/agents/review/rank.ts";
import { decisionOf, uuid, workOf } from "../review/works.ts";
import { connect } from "../support/client.ts";
import { pane } from "../support/pane.ts";
import { service } from "../support/service.ts";

test("/api/cards gives the cards of panes and agents, /api/waiting the number of those that wait", async () => {
  const groups = rank([workOf(9, { decisions: [decisionOf(9, 1)] })]);
  const { request, hub } = service({ groups: () => groups });
  hub.publish([
    pane({ id: "%1", status: "error" }),
    pane({ id: "%2", status: "needs_input", prompt_since: 1 }),
    pane({ id: "%3" }),
  ]);
  const { cards } = CardsReply.parse(await (await request("/api/cards")).json());
  expect(cards.map(({ key }) => key)).toEqual(["pane:%2", `agent:${uuid(9)}`, "pane:%1"]);
  expect(await (await request("/api/waiting")).json()).toEqual({ waiting: 2 });
});

describe("cards in states and deltas", () => {
  let stop = async () => {};
  afterEach(() => stop());

  function serve() {
    const parts = service();
    const server = parts.listen();
    stop = () => server.stop();
    const panes = [pane({ id: "%1", status: "error" }), pane({ id: "%2" })];
    parts.hub.publish(panes);
    return { ...parts, panes, connect: (path: string) => connect(server.port, path) };
  }

  test("a delta socket with ?cards=1 gets what each pass changed in the cards", async () => {
    const { hub, panes, connect, request } = serve();
    const client = connect("/ws?mode=delta&cards=1");
    const [, state] = await client.take(2);
    let cards: readonly Card[] = StateFrame.parse(state).cards ?? [];
    expect(cards.map(({ key }) => key)).toEqual(["pane:%1"]);
    const asks = pane({ id: "%2", status: "needs_input", prompt_since: 5, question: "Go on?" });
    for (const next of [[panes[0], asks], [panes[0], { ...asks, name: "other" }], [asks]]) {
      hub.publish(next.flatMap((one) => one ?? []));
      const frame = DeltaFrame.parse((await client.take(client.frames.length + 1)).at(-1));
      cards = applyCards(cards, frame.cards) ?? [];
      const { cards: expected } = CardsReply.parse(await (await request("/api/cards")).json());
      expect(cards).toEqual(expected as Card[]);
    }
    hub.publish(hub.current.panes);
    expect((await client.take(client.frames.length + 1)).at(-1)).toEqual({ type: "delta" });
  });

  test("a socket with ?cards=1 gets all cards in each full state, other sockets get none", async () => {
    const { hub, panes, connect } = serve();
    const [asking, plain, delta] = ["/ws?cards=1", "/ws", "/ws?mode=delta"].map(connect);
    const cards = [expect.objectContaining({ key: "pane:%1", section: "errors" })];
    expect((await asking?.take(2))?.[1]).toEqual({ type: "state", panes, cards });
    expect((await plain?.take(2))?.[1]).toEqual({ type: "state", panes });
    expect((await delta?.take(2))?.[1]).toEqual({ type: "state", panes });
    hub.publish([]);
    expect((await asking?.take(3))?.[2]).toEqual({ type: "state", panes: [], cards: [] });
    expect((await plain?.take(3))?.[2]).toEqual({ type: "state", panes: [] });
    expect((await delta?.take(3))?.[2]).toEqual({ type: "delta", order: [] });
  });

  test("GET /api/state has the cards only with ?cards=1", async () => {
    const { panes, request } = serve();
    const cards = [expect.objectContaining({ key: "pane:%1", section: "errors" })];
    const state = async (path: string): Promise<unknown> => (await request(path)).json();
    expect(await state("/api/state?cards=1")).toEqual({ type: "state", panes, cards });
    expect(await state("/api/state")).toEqual({ type: "state", panes });
  });
});
