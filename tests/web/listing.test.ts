import { expect, test } from "bun:test";
import { Creation } from "../../web/state/server/creation.ts";
import { apiOf, serverOf, type Answer } from "../support/page-server.ts";

test("a folder that answers late is not shown in the place of the one that was opened after it", async () => {
  const asked = new Map<string, (answer: Answer) => void>();
  const api = apiOf(
    ({ path }) =>
      new Promise((answer) => {
        asked.set(new URL(path, "http://test").searchParams.get("path") ?? "", answer);
      }),
  );
  const creation = new Creation(serverOf({ api }));
  const listing = (path: string) => ({ body: { path, entries: [] } });
  const first = creation.go("/srv/slow");
  const second = creation.go("/srv/quick");
  asked.get("/srv/quick")?.(listing("/srv/quick"));
  await second;
  asked.get("/srv/slow")?.(listing("/srv/slow"));
  await first;
  expect(creation.listing.value.value?.path).toBe("/srv/quick");
  expect(creation.wanted.value.path).toBe("/srv/quick");
});
