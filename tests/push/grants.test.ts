import { afterEach, beforeEach, expect, test } from "bun:test";
import { DevicesReply, WebRegisterReply } from "../../src/protocol/push.ts";
import { connect } from "../support/client.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { jsonRequest } from "../support/json.ts";

const TOKEN = "the-token-of-the-owner";
const READ = "the-token-that-only-looks";
let tmux: PrivateTmux;
let web: PushStandIn;
let service: LiveService;

beforeEach(async () => {
  tmux = await PrivateTmux.start();
  web = new PushStandIn();
  service = await startLiveService({
    tmux,
    flags: {
      "server.token": TOKEN,
      "server.read_token": READ,
      poll_interval: 0.2,
      "push.web_push_hosts": [new URL(web.origin).host],
      "push.contact": "mailto:who@example.org",
      "push.dwell": 0,
    },
  });
});
afterEach(async () => {
  await service.stop();
  await Promise.all([web.stop(), tmux.stop()]);
});

async function call(method: string, path: string, token: string, body?: unknown) {
  const reply = await fetch(
    `${service.url}${path}`,
    jsonRequest(method, body, {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),

      origin: service.url,
    }),
  );
  return { status: reply.status, body: await reply.json() };
}

async function letIn(name: string) {
  const { body: link } = await call("POST", "/api/pair/codes", TOKEN, { name });
  const code = new URL(link.url).hash.replace("#pair=", "");
  const token = String((await call("POST", "/api/pair", "", { code })).body.token);
  return { token, id: String((await call("GET", "/api/grants/self", token)).body.id) };
}

const browser = new Subscriber();
async function register(token: string, path: string, replaces?: string) {
  const subscription = browser.subscription(`${web.origin}${path}`);
  const body = { subscription, name: path, ...(replaces === undefined ? {} : { replaces }) };
  return WebRegisterReply.parse((await call("POST", "/api/push/web/register", token, body)).body);
}
const devices = async (token = TOKEN) =>
  DevicesReply.parse((await call("GET", "/api/push/devices", token)).body).devices;
const asks = () =>
  tmux.open(["sh", "-c", "sleep 0.3; printf 'Overwrite? (y/n) '; read answer; clear; sleep 600"]);
const sentTo = (path: string) => web.received.filter((one) => one.path === path);

test("the alerts of a device end with it, and those of others go on", async () => {
  const [stolen, mine] = [await letIn("Stolen"), await letIn("Mine")];
  await register(stolen.token, "/stolen");
  await register(mine.token, "/mine");
  await call("DELETE", `/api/grants/${stolen.id}`, TOKEN);
  await until(async () => (await devices()).length === 1);
  await asks();
  await until(() => sentTo("/mine").length > 0);
  expect(sentTo("/stolen")).toEqual([]);
});

test("a new device is told to those that have alerts", async () => {
  const mine = await letIn("Mine");
  await register(mine.token, "/mine");
  await letIn("Pixel 9");
  const [told] = await until(() => (sentTo("/mine").length > 0 ? sentTo("/mine") : null));
  expect(browser.read(told?.body ?? Buffer.alloc(0))).toMatchObject({
    notification: {
      body: "Pixel 9 was let in by the token.",
      navigate: expect.stringMatching(/#\/phone$/),
    },
  });
});

test("nobody but the grant that registered a device says that it is looked at", async () => {
  const [mine, other] = [await letIn("Mine"), await letIn("Other")];
  const { id } = await register(mine.token, "/mine");
  const frame = JSON.stringify({ type: "presence", visible: true, device: id });
  const port = Number(new URL(service.url).port);
  for (const token of [other.token, READ, TOKEN]) {
    const socket = connect(port, `/ws?mode=delta&token=${token}`);
    await socket.take(1);
    socket.send(frame);
  }
  await asks();
  await until(() => sentTo("/mine").length > 0);
});

test("alerts of another are nobody's to change but an owner's, nor to take the place of", async () => {
  const [mine, other] = [await letIn("Mine"), await letIn("Other")];
  const { id } = await register(mine.token, "/mine");
  const path = `/api/push/devices/${id}`;
  const preferences = { reasons: [] };
  for (const [method, where, body] of [
    ["PATCH", path, { preferences }],
    ["POST", `${path}/test`, {}],
    ["DELETE", path, undefined],
  ] as const)
    expect((await call(method, where, other.token, body)).status).toBe(403);
  const taken = await register(other.token, "/other", id);
  expect(taken.id).not.toBe(id);
  expect((await devices(mine.token)).map((device) => [device.name, device.mine])).toEqual([
    ["/mine", true],
    ["/other", false],
  ]);
  expect((await call("PATCH", path, mine.token, { preferences })).status).toBe(200);
  expect((await call("DELETE", path, TOKEN)).status).toBe(200);
});
