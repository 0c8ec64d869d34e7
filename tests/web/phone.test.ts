import { describe, expect, test } from "bun:test";
import type { PhoneCheck } from "../../src/protocol/phone.ts";
import { apiOf, serverOf } from "../support/page-server.ts";
import { PhoneSetup } from "../../web/state/server/phone.ts";
import { pairingLink, phoneState } from "../support/fixture-replies.ts";
import { NOW } from "../support/fixture-panes.ts";

/** A server of the test's own: what is in its way, who has signed in, and what it was asked. */
function setupOf(inTheWay: PhoneCheck["id"] | null = null) {
  const server = { inTheWay, phones: [] as { id: string; name: string; paired_at: number }[] };
  const asked: string[] = [];
  let codes = 0;
  const answer = (path: string) => {
    if (path.startsWith("/api/phone?"))
      return { body: { ...phoneState(server.inTheWay), phones: server.phones } };
    if (path === "/api/pair/codes")
      return { body: { ...pairingLink(), short_code: `CODE-${(codes += 1)}` } };
    throw new Error(`nobody answers ${path}`);
  };
  const api = apiOf(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return answer(path);
  });
  const setup = new PhoneSetup(serverOf({ api, origin: "https://desk.example" }));
  return { server, asked, setup, code: () => setup.link.value.value?.short_code ?? null };
}

describe("the code", () => {
  test("is asked for once nothing is in the way, and goes when something is", async () => {
    const { server, asked, setup, code } = setupOf("reachable");
    await setup.look(NOW);
    expect(asked).toEqual(["GET /api/phone?page=https%3A%2F%2Fdesk.example"]);
    server.inTheWay = null;
    await setup.look(NOW);
    await setup.look(NOW);
    expect(code()).toBe("CODE-1");
    server.inTheWay = "reachable";
    await setup.look(NOW);
    expect(code()).toBeNull();
  });

  test("is renewed before it ends, and once a phone has used it", async () => {
    const { server, setup, code } = setupOf();
    await setup.look(NOW);
    await setup.look(NOW + 289);
    expect(code()).toBe("CODE-1");
    await setup.look(NOW + 291);
    expect(code()).toBe("CODE-2");
    server.phones = [{ id: "a", name: "Safari on iOS", paired_at: NOW }];
    await setup.look(NOW);
    expect([code(), setup.joined.value]).toEqual(["CODE-3", "Safari on iOS"]);
  });

  test("of an address without encryption is shown only where a person takes that", async () => {
    const { setup, code } = setupOf("encrypted");
    await setup.look(NOW);
    expect([setup.failed.value?.id, code()]).toEqual(["encrypted", null]);
    setup.isPlainTaken.value = true;
    await setup.look(NOW);
    expect(code()).toBe("CODE-1");
  });
});

test("a device is seen to join although another view has asked meanwhile", async () => {
  const { server, setup, code } = setupOf();
  await setup.look(NOW);
  server.phones = [{ id: "a", name: "Safari on iOS", paired_at: NOW }];
  await setup.state.reload();
  await setup.look(NOW);
  expect([code(), setup.joined.value]).toEqual(["CODE-2", "Safari on iOS"]);
});

test("who had signed in before the page was opened has not just joined", async () => {
  const { server, setup } = setupOf();
  server.phones = [{ id: "a", name: "Safari on iOS", paired_at: NOW }];
  await setup.look(NOW);
  expect(setup.joined.value).toBeNull();
});

test("a code is for what is chosen", async () => {
  const { setup, code } = setupOf();
  await setup.look(NOW);
  await setup.chooseScope("answer");
  expect([code(), setup.codeScope.value]).toEqual(["CODE-2", "answer"]);
});
