import { describe, expect, test } from "bun:test";
import { requireAnswer } from "../../src/input/client.ts";
import type { Scope } from "../../src/protocol/scope.ts";
import { service } from "../support/service.ts";
import { pane } from "../support/pane.ts";

const by = { grant: "pixel", name: "Pixel 9" };
const client = (scope: Scope) => ({ name: "Pixel 9 at 192.0.2.7", scope, by });
const refuses = (...[scope, asked]: [Scope, Parameters<typeof requireAnswer>[1]]) => {
  try {
    requireAnswer(client(scope), asked);
    return false;
  } catch (error) {
    expect(error).toMatchObject({
      kind: "forbidden",
      message: "Pixel 9 at 192.0.2.7 may answer the prompt that is shown: this needs type",
    });
    return true;
  }
};

describe("a client that may only answer", () => {
  test.each([
    ["an option", { isForPrompt: true, texts: ["1", undefined] }, false],
    ["own words to a prompt", { isForPrompt: true, texts: ["rename it, and 'quote' it"] }, false],
    ["Enter", { isForPrompt: true, key: "Enter" }, false],
    ["Escape", { isForPrompt: true, key: "Escape" }, false],
    ["another key", { isForPrompt: true, key: "C-c" }, true],
    ["a key of no prompt", { isForPrompt: false, key: "Escape" }, true],
    ["words to no prompt", { isForPrompt: false, texts: ["ls"] }, true],
    ["a second line", { isForPrompt: true, texts: ["y\nrm -rf ~"] }, true],
    ["a carriage return", { isForPrompt: true, texts: ["y\rrm"] }, true],
    ["an option with a line in it", { isForPrompt: true, texts: ["1\nls", undefined] }, true],
    ["an escape sequence", { isForPrompt: true, texts: ["\u001b[200~x"] }, true],
  ])("the right to send %s", (_, asked, isRefused) => {
    expect(refuses("answer", asked)).toBe(isRefused);
    expect(refuses("look", asked)).toBe(isRefused);
    for (const scope of ["type", "own"] as const) expect(refuses(scope, asked)).toBe(false);
  });

  test("a request is forbidden unless it names the fingerprint of a prompt", async () => {
    const one = service({ token: "the-token-of-the-owner" });
    one.hub.publish([pane({ status: "needs_input", question: "Go on? (y/n)" })]);
    const { token } = await one.credentials.admit(
      { name: "Pixel 9", scope: "answer", by: "token" },
      "192.0.2.7",
    );
    const status = async (path: string, body: object) => {
      const reply = await one.request(`/api/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ id: "%1", ...body }),
      });
      return reply.status;
    };
    const nothing = { expected: { prompt_fingerprint: null } };
    for (const guard of [{}, nothing, { expected: {} }]) {
      expect(await status("key", { key: "Enter", ...guard })).toBe(403);
      expect(await status("text", { text: "y", enter: true, ...guard })).toBe(403);
      expect(await status("select", { key: "y", ...guard })).toBe(403);
    }
    expect(one.log.join("")).not.toContain("sent");
    // With a fingerprint the request gets to the screen, which shows another prompt.
    const expected = { prompt_fingerprint: "sha256:other" };
    expect(await status("text", { text: "y", expected })).not.toBe(403);
    expect(await status("key", { key: "Up", expected })).toBe(403);
    expect(await status("stop", {})).toBe(403);
  });
});
