import { expect, test } from "bun:test";
import { join } from "node:path";
import { changesSlice, MAX_IN_PROGRESS } from "../../src/changes/changes.ts";
import { Changes, FileChanges } from "../../src/protocol/changes.ts";
import { service, type ServiceOptions } from "../support/service.ts";
import { Repository } from "./support/repository.ts";

interface Pane {
  id: string;
  cwd: string;
  agent?: { id: string; label: string } | null;
}

const AGENT = { id: "agent_a", label: "Some Agent" };

function over(panes: readonly Pane[], roots: readonly string[] = [], access: ServiceOptions = {}) {
  const slice = changesSlice({
    panes: () => panes.map((pane) => ({ agent: AGENT, ...pane })),
    hub: { resolve: (id) => panes.find((pane) => pane.id === id) ?? null },
    roots,
  });
  const { request } = service({ slices: [slice], ...access });
  const get = async (path: string, init?: RequestInit) => {
    const reply = await request(path, init);
    const text = await reply.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    const after = reply.headers.get("retry-after");
    return { status: reply.status, body, after, etag: reply.headers.get("etag") };
  };
  return { slice, get };
}

async function changed(): Promise<Repository> {
  const repository = await Repository.of({ "a.ts": "a\n", "sub/b.ts": "b\n" });
  await repository.write({ "a.ts": "aa\n", "sub/b.ts": "bb\n" });
  return repository;
}

test("a pane's changes are answered with an ETag, and with 304 until they change", async () => {
  await using repository = await changed();
  const { get, slice } = over([{ id: "%1", cwd: repository.path }]);
  expect(slice.capabilities?.()).toEqual({ changes_v1: { version: 1 } });
  const { status, body, etag } = await get("/api/changes?id=%251");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    range: "head",
    branch: "main",
    total: 2,
    added: 2,
    other_panes: [],
  });
  const headers = { "if-none-match": etag ?? "" };
  expect((await get("/api/changes?id=%251", { headers })).status).toBe(304);
  const file = await get("/api/changes/file?id=%251&path=a.ts");
  const [hunk] = FileChanges.parse(file.body).hunks;
  expect(hunk?.lines.map(({ text }) => text)).toEqual(["a", "aa"]);

  await repository.write({ "a.ts": "a\n" });
  expect((await get("/api/changes?id=%251", { headers })).body).toMatchObject({ total: 1 });
});

test("panes of one work tree have the same changes, and each reply names the others", async () => {
  await using repository = await changed();
  const { get } = over([
    { id: "%1", cwd: repository.path },
    { id: "%2", cwd: repository.path },
  ]);
  const replies = await Promise.all(
    ["%251", "%252", "%251"].map((id) => get(`/api/changes?id=${id}`)),
  );
  const lists = replies.map(({ body }) => Changes.parse(body));
  expect(lists.map(({ total }) => total)).toEqual([2, 2, 2]);
  expect(lists.map(({ other_panes }) => other_panes)).toEqual([["%2"], ["%1"], ["%2"]]);
});

test("a pane below its work tree sees all of it only where a root or another pane's folder holds it", async () => {
  await using repository = await changed();
  const inSub = { id: "%1", cwd: join(repository.path, "sub") };
  const alone = await over([inSub]).get("/api/changes?id=%251");
  expect(alone.body).toMatchObject({ within: "sub", total: 1, top: repository.path });
  const outside = await over([inSub]).get("/api/changes/file?id=%251&path=a.ts");
  expect(outside.status).toBe(404);
  const inside = "/api/changes/file?id=%251&path=sub/b.ts";
  expect((await over([inSub]).get(inside)).status).toBe(200);
  expect((await over([inSub]).get(`${inside}&old_path=a.ts`)).status).toBe(404);
  const inRoot = await over([inSub], [repository.root]).get("/api/changes?id=%251");
  expect(inRoot.body).toMatchObject({ within: null, total: 2 });
  const shell = { id: "%2", cwd: repository.path, agent: null };
  const beside = await over([inSub, shell]).get("/api/changes?id=%251");
  expect(beside.body).toMatchObject({ within: null, total: 2, other_panes: [] });
});

test("a pane's folder behind a link is the folder that the link names", async () => {
  await using repository = await changed();
  await repository.link("../named", repository.path);
  const pane = { id: "%1", cwd: join(repository.root, "named") };
  const { body } = await over([pane]).get("/api/changes?id=%251");
  expect(body).toMatchObject({ top: repository.path, within: null, total: 2 });
});

test("changes that cannot be read are refused with a status and a reason", async () => {
  await using repository = await changed();
  const { get } = over([
    { id: "%1", cwd: repository.path },
    { id: "%2", cwd: repository.root },
    { id: "%3", cwd: "" },
    { id: "%1000003", cwd: repository.path },
    { id: "%4", cwd: join(repository.root, "gone") },
  ]);
  const noGit = { reason: "no_git", message: "the folder of this pane is in no git work tree" };
  const remote = {
    reason: "other_machine",
    message: "this pane is on another machine: what changed there is not known here",
  };
  const noBase = {
    reason: "no_base",
    message: "there is no main branch that this one has left",
  };
  const refusals: [string, number, unknown][] = [
    ["/api/changes?id=%259", 404, { reason: "unknown_pane", code: "unknown_pane" }],
    ["/api/changes?id=%252", 409, noGit],
    ["/api/changes?id=%251000003", 409, remote],
    ["/api/changes?id=%253", 409, noGit],
    ["/api/changes?id=%254", 409, noGit],
    ["/api/changes/file?id=%252&path=a", 409, noGit],
    ["/api/changes?id=%251&range=base", 409, noBase],
    ["/api/changes/file?id=%251&path=b", 404, "this file has not changed, or is not there"],
  ];
  for (const [path, status, detail] of refusals)
    expect(await get(path)).toMatchObject({ status, body: { detail } });
  for (const query of ["", "id=%251&range=all"])
    expect((await get(`/api/changes?${query}`)).status).toBe(422);
  expect((await get("/api/changes/file?id=%251")).status).toBe(422);
});

test("without git there is no capability, and the route answers 503", async () => {
  await using repository = await changed();
  const { get, slice } = over([{ id: "%1", cwd: repository.path }]);
  const { PATH } = process.env;
  try {
    process.env.PATH = "/nowhere";
    expect(slice.capabilities?.()).toEqual({});
    expect(await get("/api/changes?id=%251")).toMatchObject({
      ...{ status: 503, body: { detail: "git is not installed" } },
    });
  } finally {
    process.env.PATH = PATH;
  }
});

test("no client and not all together have more than a few requests waiting for git", async () => {
  await using repository = await changed();
  const access = { token: "may-do-everything", readToken: "may-only-look" };
  const { get } = over([{ id: "%1", cwd: repository.path }], [], access);
  const ask = (token: string, count: number, path = "/api/changes?id=%251") =>
    Array.from({ length: count }, () =>
      get(path, { headers: { authorization: `Bearer ${token}` } }),
    );
  const { ofOne } = MAX_IN_PROGRESS;
  const asked = ask("may-only-look", ofOne + 5);
  // What one client waits for refuses no other one.
  const other = ask("may-do-everything", 1);
  const replies = await Promise.all(asked);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(ofOne);
  const refused = replies.filter(({ status }) => status !== 200);
  for (const { status, after, body } of refused)
    expect({ status, after, body }).toEqual({
      status: 429,
      after: expect.stringMatching(/^[1-9]$/),
      body: { detail: expect.stringContaining("git") },
    });
  expect(await Promise.all(other)).toMatchObject([{ status: 200 }]);
  const file = "/api/changes/file?id=%251&path=a.ts";
  const [again] = await Promise.all(ask("may-only-look", 1, file));
  expect(again?.status).toBe(200);
});
