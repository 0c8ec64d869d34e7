import { expect, test } from "bun:test";
import { PHONE } from "../support/browser.ts";
import { option } from "../support/fixture-panes.ts";
import { PageLab } from "../support/page-lab.ts";
import { pane } from "../support/pane.ts";
import { Relay } from "../support/relay.ts";

const lab = PageLab.ofFile();
const PREVIEW_LINES = 6;

/** Panes whose screens are dense text; every sixth waits, so its lines are in every first state. */
const fleet = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const lines = Array.from({ length: 200 }, (_, row) =>
      `${row} ${crypto.randomUUID()} ${crypto.randomUUID()}`.padEnd(96, "."),
    );
    const waits = {
      status: "needs_input" as const,
      question: `Go on with ${i}?`,
      menu: [option("1", "Yes")],
    };
    return pane({
      id: `%${i}`,
      target: `work:${i}.0`,
      name: `agent ${i}`,
      lines,
      preview: lines.slice(-PREVIEW_LINES),
      ...(i % 6 === 0 ? waits : {}),
    });
  });

test("60 panes over 1 Mbit/s become Live by one socket and stay so", async () => {
  const server = lab.server(fleet(60));
  const relay = await Relay.to(Number(new URL(server.url).port), {
    bitsPerSecond: 1_000_000,
    delayMs: 120,
  });
  lab.closes(() => relay.stop());
  const { page } = await lab.page(PHONE);
  let sockets = 0;
  page.on("websocket", () => sockets++);
  await page.goto(relay.url);
  await page.locator(".connection", { hasText: "Live" }).waitFor();
  server.change("%0", { question: "Asked after that?" });
  await page.getByText("Asked after that?").waitFor();
  expect(sockets).toBe(1);
  expect(server.requests.filter(({ path }) => path === "/api/state")).toEqual([]);
});
