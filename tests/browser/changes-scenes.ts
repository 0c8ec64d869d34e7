import { calm } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { draftKey } from "../../web/model/drafts.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import type { Scene } from "./scene.ts";

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
  {
    name: "changes",
    hash: HASH,
    prepare: (server) => void changedFolder(server),
    stored: remarks,
    shows: "text=auth/rotation",
    mocks: { phone: "one-changes", desktop: "desktop-changes" },
  },
  {
    name: "changes-file",
    hash: FILE,
    prepare: (server) => void changedFolder(server),
    stored: remarks,
    shows: "text=Fall back to DAY here.",
    mocks: { phone: "changes-file" },
  },
  {
    name: "changes-remark",
    hash: FILE,
    prepare: (server) => void changedFolder(server),
    act: async (page) => {
      await page.locator('[data-line="new43"]').click();
      await page.getByRole("textbox", { name: "Your remark" }).fill("Log the device class too");
    },
    shows: "text=Line 43",
  },
  {
    name: "changes-send",
    hash: FILE,
    prepare: (server) => {
      changedFolder(server);
      new KeptMessages(server);
    },
    stored: remarks,
    act: async (page) => {
      await calm(page);
      await page.getByRole("button", { name: "2 remarks" }).click();
    },
    shows: "text=No, with these remarks",
    mocks: { phone: "one-remarks" },
  },
  {
    name: "changes-none",
    hash: HASH,
    prepare: (server) => {
      const { list } = changedFolder(server);
      Object.assign(list, { files: [], total: 0, other_panes: [] });
    },
    shows: "text=Nothing has changed",
  },
  {
    name: "changes-refused",
    hash: HASH,
    prepare: (server) => {
      changedFolder(server);
      server.hook = ({ path }) =>
        path === "/api/changes"
          ? Response.json(
              { detail: { reason: "unreadable", message: "git cannot read it" } },
              { status: 409 },
            )
          : undefined;
    },
    shows: "text=Git cannot read this repository",
  },
];
