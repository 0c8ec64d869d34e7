import { describe, expect, test } from "bun:test";
import { encode } from "uqr";
import {
  CODE_SECONDS,
  type CodeGrant,
  MAX_CODES,
  MAX_GUESSES,
  PairingCodes,
} from "../../src/pairing/pairing.ts";
import { renderInvitation, renderPath, renderTerminal } from "../../src/pairing/qr.ts";
import { type Addresses, baseUrls, interfaceAddresses } from "../../src/pairing/links.ts";
import { PhoneAccess } from "../../src/pairing/phone.ts";
import { PairingLink } from "../../src/protocol/access.ts";
import { ANYBODY } from "../../src/slice.ts";
import { FakeClock } from "../support/clock.ts";
import { fakeCredentials } from "../support/credentials.ts";

const addresses: Omit<Addresses, "pageOrigin"> = {
  publicUrls: [],
  bindHost: "0.0.0.0",
  port: 8787,
  interfaces: ["192.168.1.5", "fd00::5"],
};
const GRANT: CodeGrant = { scope: "type", by: ANYBODY };
const codeOf = (url: string) => new URL(url).hash.replace("#pair=", "");

describe("a pairing code", () => {
  test("is redeemed once", () => {
    const codes = new PairingCodes(new FakeClock());
    const { code } = codes.issue(GRANT);
    expect(codes.redeem(`${code}x`)).toBeNull();
    expect(codes.redeem(code)).toEqual(GRANT);
    expect(codes.redeem(code)).toBeNull();
    expect(codes.redeem("")).toBeNull();
  });

  test.each([0, -86400, 86400])(
    "expires after five minutes, also when the wall clock is moved by %d s",
    (seconds) => {
      const clock = new FakeClock();
      const codes = new PairingCodes(clock);
      const [first, second] = [codes.issue(GRANT), codes.issue(GRANT)];
      expect(first.expiresAt).toBe(clock.now() + CODE_SECONDS);
      clock.adjustWall(seconds);
      clock.advance(CODE_SECONDS - 1);
      expect(codes.redeem(first.code)).toEqual(GRANT);
      clock.advance(1);
      expect(codes.redeem(second.code)).toBeNull();
    },
  );

  test("ends when ten later codes are issued", () => {
    const codes = new PairingCodes(new FakeClock());
    const issued = Array.from({ length: MAX_CODES + 1 }, () => codes.issue(GRANT).code);
    expect(new Set(issued).size).toBe(MAX_CODES + 1);
    expect(issued.map((code) => codes.redeem(code))).toEqual([
      null,
      ...Array.from({ length: MAX_CODES }, () => GRANT),
    ]);
  });
});

test("pairing codes end with the grant that asked for them", () => {
  const codes = new PairingCodes(new FakeClock());
  const by = { id: "a-1", key: "a-1" };
  const [mine, other] = [codes.issue({ scope: "type", by }), codes.issue(GRANT)];
  codes.keepOnly((key) => key !== "a-1");
  expect(codes.redeem(mine.code)).toBeNull();
  expect(codes.redeem(mine.short)).toBeNull();
  expect(codes.redeem(other.code)).toEqual(GRANT);
});

describe("the short form of a code", () => {
  test("is typed in any case, with or without its dash, and is redeemed once together with the long form", () => {
    const codes = new PairingCodes(new FakeClock());
    const { code, short } = codes.issue(GRANT);
    expect(short).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
    expect(codes.redeem(` ${short.toLowerCase().replace("-", " ")} `)).toEqual(GRANT);
    expect(codes.redeem(code)).toBeNull();
    expect(codes.redeem(short)).toBeNull();
  });

  test("is refused after a thousand guesses, while the long form is still redeemed", () => {
    const codes = new PairingCodes(new FakeClock());
    const { code, short } = codes.issue(GRANT);
    for (let guess = 0; guess < MAX_GUESSES; guess += 1) codes.redeem(`guess ${guess}`);
    expect(codes.redeem(short)).toBeNull();
    const later = codes.issue(GRANT);
    for (let guess = 1; guess < MAX_GUESSES; guess += 1) codes.redeem(`guess ${guess}`);
    expect(codes.redeem(later.short)).toEqual(GRANT);
    expect(codes.redeem(code)).toEqual(GRANT);
  });
});

describe("the addresses for a phone", () => {
  const urls = (change: Partial<Addresses>) =>
    baseUrls({ ...addresses, pageOrigin: null, ...change });

  test("on a wildcard bind are those of the interfaces, or loopback where there are none", () => {
    expect(urls({})).toEqual({ urls: ["http://192.168.1.5:8787"], isLocal: false });
    expect(urls({ bindHost: "::" }).urls).toEqual([
      "http://192.168.1.5:8787",
      "http://[fd00::5]:8787",
    ]);
    expect(urls({ interfaces: [] })).toEqual({ urls: ["http://127.0.0.1:8787"], isLocal: true });
  });

  test("never come from a loopback or link-local interface", () => {
    const found = interfaceAddresses();
    expect(found.filter((address) => /^(127\.|::1$|fe80:|169\.254\.)/i.test(address))).toEqual([]);
  });

  test("begin with the public ones, then the origin of the page", () => {
    const found = urls({
      publicUrls: ["https://desk.example/"],
      pageOrigin: "https://other.example",
      bindHost: "127.0.0.1",
    });
    expect(found).toEqual({
      urls: ["https://desk.example", "https://other.example"],
      isLocal: false,
    });
  });

  test("are marked as local when they are only of this machine", () => {
    expect(urls({ bindHost: "::1", pageOrigin: "http://localhost:8787" })).toEqual({
      urls: ["http://localhost:8787"],
      isLocal: true,
    });
    expect(urls({ bindHost: "127.0.0.1", pageOrigin: "null" }).urls).toEqual([
      "http://127.0.0.1:8787",
    ]);
  });
});

describe("a pairing link", () => {
  const clock = new FakeClock();
  const phoneOf = (token: string) => {
    const flags = { "server.token": token, "server.public_urls": ["https://other.example"] };
    const { credentials } = fakeCredentials({ flags });
    const access = new PhoneAccess({
      ...{ credentials, codes: new PairingCodes(clock) },
      address: () => ({ host: "127.0.0.1", port: 8787 }),
      look: async () => ({ state: "none" }),
    });
    return { credentials, access };
  };

  test("holds a code in its fragment that gives a device its own token, never the server's", async () => {
    const { access, credentials } = phoneOf("s3cret-token");
    const link = PairingLink.strict().parse(await access.link(null, GRANT));
    expect(JSON.stringify(link)).not.toContain("s3cret");
    expect(new URL(link.url).search).toBe("");
    const reply = await access.redeem({ code: codeOf(link.url), name: "iPhone" }, "192.0.2.1");
    expect(reply?.token).toMatch(/^[\w-]{43}$/);
    expect(credentials.devices.map(({ name }) => name)).toEqual(["iPhone"]);
    expect(await access.redeem({ code: codeOf(link.url) }, "192.0.2.1")).toBeNull();
  });

  test("is refused without a token", () => {
    const { access } = phoneOf("");
    expect(access.link(null, GRANT)).rejects.toThrow(
      "pairing needs a token: panewatch phone makes one",
    );
  });

  test("is printed with a QR code, its short code, its other addresses and warnings", async () => {
    const link = await phoneOf("s3cret").access.link("https://desk.example", GRANT);
    const print = (change: Partial<PairingLink>) =>
      renderInvitation({ ...link, ...change }, { hasColours: false });
    expect(print({})).toContain(`\n${link.url}\n  or ${link.other_urls[0]}\n`);
    expect(print({})).toMatch(
      /It works once, until \d\d:\d\d\. Or open https:\/\/other\.example and type [A-Z2-9]{4}-[A-Z2-9]{4}\.\n$/,
    );
    expect(print({}).match(/^█{5}/gm)?.length).toBeGreaterThan(2);
    expect(print({ is_local: true })).toContain("Only this machine can open it: panewatch phone");
    expect(print({ url: "http://192.168.1.5/#pair=x" })).toContain("not encrypted");
  });
});

describe("a QR code", () => {
  const TEXT = "https://host.example/#pair=0123456789";
  const { data, size } = encode([...new TextEncoder().encode(TEXT)], { ecc: "M", border: 4 });

  test("in a terminal has half a character for every module, and a border of four light modules", () => {
    const lines = renderTerminal(TEXT, false).trimEnd().split("\n");
    expect(lines).toHaveLength(Math.ceil(size / 2));
    for (let row = 0; row < size; row += 1)
      for (let column = 0; column < size; column += 1) {
        const character = lines[Math.floor(row / 2)]?.[column] ?? "?";
        const isLight = character === "█" || character === (row % 2 ? "▄" : "▀");
        expect([row, column, isLight]).toEqual([row, column, !data[row]?.[column]]);
      }
  });

  test("in colours has the same characters in white on black", () => {
    const coloured = renderTerminal(TEXT, true);
    expect(Bun.stripANSI(coloured)).toBe(renderTerminal(TEXT, false));
    for (const line of coloured.trimEnd().split("\n"))
      expect(line).toMatch(/^\x1b\[38;5;231;48;5;16m.*\x1b\[0m$/);
  });

  test("as a path covers exactly the dark modules", () => {
    const drawn = renderPath(TEXT);
    expect(drawn?.size).toBe(size);
    const dark = [...(drawn?.path ?? "").matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)].flatMap(
      ([, x, y, width]) =>
        Array.from({ length: Number(width) }, (_, at) => `${y},${Number(x) + at}`),
    );
    const expected = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `${y},${x}` : [])),
    );
    expect(dark).toEqual(expected);
  });

  test("does not exist for a text of more than 213 bytes", () => {
    expect(renderPath("x".repeat(213))?.size).toBe(57 + 8);
    expect(renderPath("ü".repeat(107))).toBeNull();
    expect(renderTerminal("x".repeat(214), false)).toBe("");
  });
});
