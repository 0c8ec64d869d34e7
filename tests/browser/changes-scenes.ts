import { calm } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { draftKey } from "../../web/model/drafts.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import { scene, type Scene } from "./scene.ts";

const ID = "%12";
const HASH = `#/changes/${encodeURIComponent(ID)}`;
const FILE = `${HASH}/${encodeURIComponent("src/auth/session.ts")}`;

const targetOf = ({ panes }: FixtureServer) => panes.find(({ id }) => id === ID)?.target ?? "";

const remarks = (server: FixtureServer) => ({
  [draftKey(server.config._info.server_instance_id, { id: ID, target: targetOf(server) })]: {
    text: "",
    savedAt: Date.now(),
    remarks: [
      {
        ...{ id: "one", top: "/home/dev/code/api", side: "new" },
        ...{ path: "src/auth/session.ts", line: 42, text: "  s.expires = now() + ttl(s.device);" },
        words: "ttl() may return 0 for unknown devices. Fall back to DAY here.",
      },
      {
        ...{ id: "two", top: "/home/dev/code/api", side: "new" },
        ...{ path: "src/auth/ttl.ts", line: 9, text: "type Device = string;" },
        words: "Name the classes after the table in docs/security.",
      },
    ],
  },
});

/** What changed in the folder of a pane. */
export const CHANGES_SCENES: readonly Scene[] = [
  scene("changes", HASH, "text=auth/rotation", {
    prepare: (server) => void changedFolder(server),
    stored: remarks,
  }),
  scene("changes-file", FILE, "text=Fall back to DAY here.", {
    prepare: (server) => void changedFolder(server),
    stored: remarks,
  }),
  scene("changes-remark", FILE, "text=Line 43", {
    prepare: (server) => void changedFolder(server),
    act: async (page) => {
      await page.locator('[data-line="new43"]').click();
      await page.getByRole("textbox", { name: "Your remark" }).fill("Log the device class too");
    },
  }),
  scene("changes-send", FILE, "text=No, with these remarks", {
    prepare: (server) => {
      changedFolder(server);
      new KeptMessages(server);
    },
    stored: remarks,
    act: async (page) => {
      await calm(page);
      await page.getByRole("button", { name: "2 remarks" }).click();
    },
  }),
  scene("changes-none", HASH, "text=Nothing has changed", {
    prepare: (server) => {
      const { list } = changedFolder(server);
      Object.assign(list, { files: [], total: 0, other_panes: [] });
    },
  }),
];
