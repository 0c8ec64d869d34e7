import { expect, test } from "bun:test";
import { CardsReply } from "../../src/protocol/cards.ts";
import { rank } from "../../src/review/rank.ts";
import { decisionOf, uuid, workOf } from "../review/works.ts";
import { pane } from "../support/pane.ts";
import { service } from "../support/service.ts";

test("the cards of panes and agents, and how many of them wait", async () => {
  const groups = rank([workOf(9, { decisions: [decisionOf(9, 1)] })]);
  const { request, hub } = service({ groups });
  hub.publish([
    pane({ id: "%1", status: "error" }),
    pane({ id: "%2", status: "needs_input", prompt_since: 1 }),
    pane({ id: "%3" }),
  ]);
  const { cards } = CardsReply.parse(await (await request("/api/cards")).json());
  expect(cards.map(({ key }) => key)).toEqual(["pane:%2", `agent:${uuid(9)}`, "pane:%1"]);
  expect(await (await request("/api/waiting")).json()).toEqual({ waiting: 2 });
});
