import { isAbsolute } from "node:path";
import { boolean, choice, number, text, texts, type Field } from "./field.ts";
import {
  contactFault,
  hostPortFault,
  SECRET_TOKEN,
  serviceOriginFault,
  topicFault,
  webhookFault,
} from "./checks.ts";

const absolutePath = (value: string) => (isAbsolute(value) ? null : "must be an absolute path");

export const PUSH_FIELDS = {
  "push.push_key_path": text({
    allowed: "an absolute path",
    check: absolutePath,
    help: "Signing key file for native notifications.",
  }),
  "push.push_key_id": text({ help: "Id of the signing key." }),
  "push.push_team_id": text({ help: "Team that the key belongs to." }),
  "push.push_topic": text({ help: "Bundle id of the client app." }),
  "push.environment": choice({
    default: "production",
    of: ["sandbox", "production"],
    help: "Which of the platform's push services is used.",
  }),
  "push.on_error": boolean({
    default: false,
    help: "Notify about errors as well, where a device has chosen nothing else.",
  }),
  "push.cooldown": number({
    default: 30,
    clamp: [0, 86400],
    help: "Seconds in which one pane alerts only once.",
  }),
  "push.dwell": number({
    default: 2,
    clamp: [0, 60],
    help: "Seconds that a prompt must stand before Web Push and ntfy tell of it.",
  }),
  "push.apns_url": text({
    allowed: "an https address; http only on this machine",
    check: serviceOriginFault,
    help: "Another address of the native push service, such as a relay of your own.",
  }),
  "push.contact": text({
    allowed: "a mailto: or https: address",
    check: contactFault,
    help: "Whom push services may write to about this server.",
  }),
  "push.web_push_hosts": texts({
    allowed: "a list of host[:port]",
    check: hostPortFault,
    help: "Push services of browsers beside the known ones; cleartext only on this machine.",
  }),
  "push.ntfy_url": text({
    // Everybody who knows the topic can read it.
    secret: true,
    allowed: "the http or https address of a topic",
    check: topicFault,
    help: "An ntfy topic that hears of every alert, in generic words.",
  }),
  "push.ntfy_token": text({
    ...SECRET_TOKEN,
    help: "Access token of that topic.",
  }),
  "push.webhook_url": text({
    // Its path may be a secret.
    secret: true,
    allowed: "an https address; http only on this machine",
    check: webhookFault,
    help: "An address that hears of every alert as a line of JSON, signed with `push.webhook_secret`.",
  }),
  "push.webhook_secret": text({
    ...SECRET_TOKEN,
    help: "Key of the signature in the header `x-panewatch-signature`.",
  }),
} as const satisfies Record<string, Field<unknown>>;
