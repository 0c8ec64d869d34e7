import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { isLocalName } from "../config/checks.ts";
import { isLoopback } from "../lib/address.ts";
import { stripControls } from "../lib/words.ts";
import { firstCharacters } from "../protocol/characters.ts";
import type { Preferences, WebSubscription } from "../protocol/push.ts";
import { post } from "./outgoing.ts";
import {
  ALERT_LIFETIME_SECONDS,
  type BadgedMessage,
  type Message,
  type Outcome,
  formOf,
  PARKED_TAG,
  messageText,
  TITLE,
} from "./message.ts";
import type { Vapid } from "./signing.ts";

interface WebDevice {
  subscription: WebSubscription;
  /** Of its page. */
  origin: string;
  preferences: Pick<Preferences, "details">;
}

export interface WebPushDeps {
  vapid: Vapid;
  /** Whom a push service may write to, for the origin of a page; null: there is no contact. */
  contact: (origin: string) => string | null;
  timeoutMs?: number;
}

const SERVICES =
  /^([a-z0-9-]+\.)+push\.apple\.com$|^fcm\.googleapis\.com$|^updates\.push\.services\.mozilla\.com$|^([a-z0-9-]+\.)+notify\.windows\.com$/;

/**
 * Whether an endpoint is at a known push service or at a configured `host[:port]`. Otherwise a
 * client could make this server send requests to any address.
 */
export function isPushEndpoint(endpoint: string, extraHosts: readonly string[]): boolean {
  const url = URL.parse(endpoint);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    return false;
  if (url.protocol === "https:" && url.port === "" && SERVICES.test(url.hostname)) return true;
  // Parsed as the endpoint: in lower case, without the default port of the scheme.
  return extraHosts.some((host) => URL.parse(`${url.protocol}//${host}`)?.host === url.host);
}

export async function sendWebPush(
  { vapid, contact: contactFor, timeoutMs }: WebPushDeps,
  { subscription, origin, preferences }: WebDevice,
  message: BadgedMessage,
): Promise<Outcome> {
  const contact = contactFor(origin);
  if (contact === null) return { is: "refused", detail: "no contact is configured" };
  const { endpoint, keys } = subscription;
  const headers = {
    authorization: await vapid.authorization(new URL(endpoint).origin, contact),
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: String(ALERT_LIFETIME_SECONDS),
    urgency: "high",
    topic: message.tag,
  };
  const withNames = preferences.details === "name";
  const body = encryptFor(keys, webPayload(message, { origin, withNames }));
  return await post(endpoint, { headers, body, timeoutMs });
}

/**
 * Whom push services may write to (RFC 8292): the configured contact, else an https address of this
 * server, else the origin of the page that registered.
 */
export function contactOf(
  { contact, publicUrls }: { contact: string; publicUrls: readonly string[] },
  pageOrigin: string,
): string | null {
  if (contact !== "") return contact;
  const url = publicUrls.find(isHttps);
  if (url !== undefined) return new URL(url).origin;
  return isHttps(pageOrigin) && !isLocalName(new URL(pageOrigin).hostname) ? pageOrigin : null;
}

function isHttps(text: string): boolean {
  return URL.parse(text)?.protocol === "https:";
}

type ReceiverKeys = WebSubscription["keys"];

/** Random for each message; tests pass those of a published example. */
interface SenderSecrets {
  privateKey: Buffer;
  salt: Buffer;
}

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const RECORD_BYTES = 4096;
/** The delimiter of the last record. */
const LAST_RECORD = Buffer.from([2]);

/** Whether the keys are a point of the curve and a secret of 16 bytes. */
export function areReceiverKeys({ p256dh, auth }: ReceiverKeys): boolean {
  try {
    const point = Buffer.from(p256dh, "base64url");
    if (point.length !== POINT_BYTES || Buffer.from(auth, "base64url").length !== AUTH_BYTES)
      return false;
    const probe = createECDH(CURVE);
    probe.generateKeys();
    probe.computeSecret(point);
    return true;
  } catch {
    // Not on the curve.
    return false;
  }
}

/** RFC 8291 (keys) over RFC 8188 (`aes128gcm`), in one record. */
export function encryptFor(
  { p256dh, auth }: ReceiverKeys,
  plaintext: string,
  secrets?: SenderSecrets,
): Buffer<ArrayBuffer> {
  const receiver = Buffer.from(p256dh, "base64url");
  const ecdh = createECDH(CURVE);
  if (secrets) ecdh.setPrivateKey(secrets.privateKey);
  else ecdh.generateKeys();
  const sender = ecdh.getPublicKey();
  const salt = secrets?.salt ?? randomBytes(16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, sender]);
  const input = derive(ecdh.computeSecret(receiver), Buffer.from(auth, "base64url"), info, 32);
  const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES, 0);
  header.writeUInt8(sender.length, 4);
  const sealed = [cipher.update(plaintext, "utf8"), cipher.update(LAST_RECORD), cipher.final()];
  return Buffer.concat([salt, header, sender, ...sealed, cipher.getAuthTag()]);
}

function derive(key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, bytes));
}

/**
 * The declarative form: some browsers show it by themselves, in others the service worker reads the
 * same members. `panewatch` is for the worker alone.
 */
export function webPayload(
  message: BadgedMessage,
  { origin, withNames }: { origin: string; withNames: boolean },
): string {
  const body = bodyOf(message, withNames);
  return JSON.stringify({
    web_push: 8030,
    notification: {
      title: TITLE,
      body,
      navigate: `${origin}/${fragmentOf(message)}`,
      tag: message.tag,
      app_badge: String(message.badge),
      ...(message.kind === "answered" ? { silent: true } : {}),
    },
    panewatch: { kind: message.kind },
  });
}

export function fragmentOf(message: Message): string {
  if (message.kind === "pane" && message.identities.length === 1)
    return pageOf(message.screen.pane.id);
  if (message.kind === "answered") return pageOf(message.paneId);
  if (message.kind === "grant") return "#/phone";
  return message.kind === "quota" ? "#/stats" : "#/queue";
}

/** The chat of a pane, which is its screen where no agent is known in it. */
const pageOf = (paneId: string): string => `#/pane/${encodeURIComponent(paneId)}/chat`;

const MAX_NAME_CHARS = 80;

function bodyOf(message: Message, withNames: boolean): string {
  if (message.kind !== "pane" || message.tag === PARKED_TAG) return messageText(message);
  const { length } = message.identities;
  if (length > 1) return `${length} panes wait for you.`;
  if (!withNames) return messageText(message);
  const { title, host } = message.screen.card;
  const machine = host === null ? "" : ` on ${host}`;
  return `${firstCharacters(stripControls(title), MAX_NAME_CHARS)}${machine} ${formOf(message).named}`;
}
