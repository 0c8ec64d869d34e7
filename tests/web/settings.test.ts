import { expect, test } from "bun:test";
import { Api } from "../../web/net/api.ts";
import { ConfigStore, Settings } from "../../web/state/server/config.ts";
import { withOverride } from "../../web/model/config.ts";
import { configReply } from "../support/fixture-config.ts";

test("a name that is given after a star does not take the star back", async () => {
  let overrides: readonly unknown[] = [];
  const api = new Api({
    fetch: async (_, { method, body }) => {
      if (method === "PATCH") ({ overrides } = JSON.parse(String(body)));
      return Response.json({ ...configReply(), overrides });
    },
    token: () => "",
    sid: () => null,
    onServerTime: () => undefined,
    onUnauthorized: () => {},
  });
  const config = new ConfigStore(api);
  await config.load();
  // Starred by this page or by another one: no configuration comes with that.
  overrides = [{ target: "gpu-1:train:0.0", name: "", kind: null, star: true }];
  const settings = new Settings(config);
  const named = await settings.change("overrides", (all) =>
    withOverride(all, "gpu-1:train:0.0", { name: "trainer" }),
  );
  expect(named).toBeNull();
  expect(overrides).toEqual([
    { target: "gpu-1:train:0.0", name: "trainer", kind: null, star: true },
  ]);
});
