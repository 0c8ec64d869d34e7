// Started with another environment by a test: the trusted authorities are read at the start.
import { systemClock } from "../../src/lib/clock.ts";
import { Apns } from "../../src/push/apns.ts";
import { createPrivateKey } from "node:crypto";
import { providerToken } from "../../src/push/signing.ts";

const key = createPrivateKey(process.env["PUSH_KEY"] ?? "");
const token = providerToken({ key, keyId: "KEY", teamId: "TEAM" }, systemClock);
const url = process.env["PUSH_URL"] ?? "";
const apns = new Apns({ url, topic: "app", token, instanceId: "", clock: systemClock });
const outcome = await apns.send({ token: "ab" }, { kind: "test", tag: "test", badge: 0 });
process.stdout.write(`${outcome.is} ${outcome.detail}\n`);
apns.close();
