// Started with another environment by a test: the trusted authorities are read at the start.
import { systemClock } from "../../src/lib/clock.ts";
import { sendToApp } from "../../src/push/apns.ts";
import { Http2Link } from "../../src/push/outgoing.ts";
import { createPrivateKey } from "node:crypto";
import { ProviderToken } from "../../src/push/signing.ts";

const key = createPrivateKey(process.env["PUSH_KEY"] ?? "");
const token = new ProviderToken({ key, keyId: "KEY", teamId: "TEAM" }, systemClock);
const link = new Http2Link(process.env["PUSH_URL"] ?? "");
const native = { link, topic: "app", token, instanceId: "", clock: systemClock };
const outcome = await sendToApp(native, { token: "ab" }, { kind: "test", tag: "test", badge: 0 });
process.stdout.write(`${outcome.is} ${outcome.detail}\n`);
link.close();
