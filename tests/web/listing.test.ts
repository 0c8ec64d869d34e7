import { expect, test } from "bun:test";
import { Api } from "../../web/net/api.ts";
import { Creation } from "../../web/state/server/creation.ts";
import { MemoryStorage } from "../support/memory-storage.ts";

test("a folder that answers late is not shown in the place of the one that was opened after it", async () => {
  const asked = new Map<string, (response: Response) => void>();
  const api = new Api({
    fetch: (path) =>
      new Promise((answer) => {
        asked.set(new URL(path, "http://test").searchParams.get("path") ?? "", answer);
      }),
    token: () => "",
    sid: () => null,
    onServerTime: () => undefined,
    onUnauthorized: () => {},
  });
  const storage = new MemoryStorage();
  const creation = new Creation({ api, storage });
  const listing = (path: string) => Response.json({ path, entries: [] });
  const first = creation.go("/srv/slow");
  const second = creation.go("/srv/quick");
  asked.get("/srv/quick")?.(listing("/srv/quick"));
  await second;
  asked.get("/srv/slow")?.(listing("/srv/slow"));
  await first;
  expect(creation.listing.value.value?.path).toBe("/srv/quick");
  expect(creation.wanted.value.path).toBe("/srv/quick");
});
