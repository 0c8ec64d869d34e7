import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Link, LinkDeps } from "../../src/hosts/link.ts";
import { remoteRequest, remoteScript } from "../../src/hosts/remote-shell.ts";
import { run, type RunError } from "../../src/lib/run.ts";
import { scriptOf } from "../../src/terminal/mux/tmux.ts";
import type { SendGuard } from "../../src/terminal/provider.ts";
import { FakeClock } from "../support/clock.ts";
import { remoteProvider, receiver, settled, startLink } from "../support/remote-link.ts";
import { shellScript } from "../support/shell-script.ts";
import { shellsHere } from "../support/shells.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { rare, sampled } from "../support/thorough.ts";
import { until } from "../support/until.ts";

const LIMITS = { timeoutMs: 30_000, maxBytes: 4 * 1024 * 1024 };

let links: Link[] = [];
const tmux = await PrivateTmux.start();
afterEach(() => {
  for (const link of links) link.stop();
  links = [];
});
afterAll(() => tmux.stop());

/** A link to a shell of this machine, in place of what ssh would start. */
function open(script: string, deps: Partial<LinkDeps> = {}): Link {
  const env = `TMUX_TMPDIR='${tmux.folder}'; export TMUX_TMPDIR; unset TMUX;`;
  const link = startLink(["/bin/sh", "-c", `${env} ${script}`], { random: () => 0, ...deps });
  links.push(link);
  return link;
}

const live = (link: Link) =>
  until(async () => ((await settled(link)).status === "live" ? link : null));
const away = (link: Link) => until(() => (link.state.status === "away" ? link.state : null));

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe.each(shellsHere(["/bin/sh", "bash", "bash --posix", "busybox sh"]))(
  "a link to %s as the shell of the host",
  (sh) => {
    test("gives output, messages and exit code apart", async () => {
      const link = await live(open(`exec ${sh}`));
      expect(link.version).toMatch(/^tmux \d/);
      const { code, stdout, stderr } = await link.ask(
        "sh",
        "printf 'a\\n\\n'; echo b >&2; exit 7",
        LIMITS,
      );
      expect({ code, stdout: text(stdout), stderr: stderr.trim() }).toEqual({
        code: 7,
        stdout: "a\n\n",
        stderr: "b",
      });
    });

    test("hands tmux any characters unchanged, and goes on after a line that fails", async () => {
      const link = await live(open(`exec ${sh}`));
      const hostile = "ä \\ ' \" $HOME `id` $(id) %s ; # {} ~";
      const lines = [
        [["has-session", "-t", "nobody"]],
        [["set-buffer", "-b", "odd", "--", `${hostile}\nEND\n.\n`]],
        [["save-buffer", "-b", "odd", "-"]],
      ];
      const { stdout } = await link.ask("tmux", scriptOf(lines), LIMITS);
      expect(text(stdout).trimEnd()).toBe(`${hostile}\nEND\n.`);
    });

    test("gives a megabyte, gives it again where it has not changed, and refuses more than the limit", async () => {
      const link = await live(open(`exec ${sh}`));
      const first = await link.ask("sh", "seq 1 200000", LIMITS);
      const again = await link.ask("sh", "seq 1 200000", LIMITS);
      expect(first.stdout.length).toBeGreaterThan(1_000_000);
      expect(text(again.stdout)).toBe(text(first.stdout));
      const small = { ...LIMITS, maxBytes: 1000 };
      await expect(link.ask("sh", "seq 1 200000", small)).rejects.toMatchObject({
        kind: "too_large",
      });
      expect(text((await link.ask("sh", "echo on", LIMITS)).stdout)).toBe("on\n");
    });
  },
);

/** A link to a shell whose clock is ahead by the seconds that a file holds. */
async function withClock(sh: string) {
  const folder = `${tmux.folder}/${crypto.randomUUID()}`;
  const ahead = `${folder}/ahead`;
  await Bun.write(ahead, "0");
  const date = `exec /bin/date -d "+$(cat '${ahead}') seconds" "$@"`;
  await shellScript(`${folder}/date`, date);
  const link = await live(open(`PATH='${folder}':$PATH; export PATH; exec ${sh}`));
  return { link, isAheadBy: (seconds: number) => Bun.write(ahead, String(seconds)) };
}

test("a request that reaches the host after its deadline is not begun, and the next one is", async () => {
  const { link, isAheadBy } = await withClock("sh");
  const note = noteOf();
  await isAheadBy(3600);
  const late = link.ask("sh", `echo begun > '${note}'`, LIMITS);
  await expect(late).rejects.toMatchObject({ kind: "not_found" });
  expect(text((await link.ask("sh", "echo on", LIMITS)).stdout)).toBe("on\n");
  await isAheadBy(0);
  expect(text((await link.ask("sh", "echo back", LIMITS)).stdout)).toBe("back\n");
  expect(await Bun.file(note).exists()).toBe(false);
  expect(link.state.status).toBe("live");
});

describe("a link that is not ready", () => {
  test("ignores what start-up files print", async () => {
    const link = await live(open("echo motd; echo oops >&2; printf 'ready'; exec sh"));
    expect(text((await link.ask("sh", "echo hi", LIMITS)).stdout)).toBe("hi\n");
  });

  test("is refused as no_shell where the shell only echoes or ends, with the last line as detail", async () => {
    expect((await away(open("head -c 100"))).refusal?.reason).toBe("no_shell");
    expect((await away(open("echo nope >&2; exit 3"))).refusal).toEqual({
      reason: "no_shell",
      detail: "nope",
    });
    // As nologin does: on stdout.
    expect((await away(open("echo; echo not available.; exit 1"))).refusal).toEqual({
      reason: "no_shell",
      detail: "not available.",
    });
  });

  test("is refused as no_shell after a flood", async () => {
    expect((await away(open("yes"))).refusal?.reason).toBe("no_shell");
  });

  test("is refused for an old tmux", async () => {
    const refusal = { reason: "old_tmux", detail: "tmux 2.9" } as const;
    const link = open("exec sh", { versionFault: () => refusal });
    expect((await away(link)).refusal).toEqual(refusal);
    await expect(link.ask("sh", "true", LIMITS)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("is unreachable where the program cannot be started", async () => {
    const link = open("", { command: ["/nonexistent/ssh"] });
    expect((await away(link)).refusal).toMatchObject({ reason: "unreachable" });
  });
});

/** A file for the process id of a request. */
const noteOf = () => `${tmux.folder}/${crypto.randomUUID()}`;

function isNoted(note: string): Promise<unknown> {
  const text = () => Bun.file(note).text();
  return until(async () => (await text().catch(() => "")).endsWith("\n") || null);
}

async function isGone(note: string): Promise<boolean> {
  const pid = (await Bun.file(note).text()).trim();
  return (await run(["ps", "-p", pid], { timeoutMs: 30_000, maxBytes: 4096 })).code !== 0;
}

describe.each(shellsHere(["dash", "bash", "busybox sh"]))(
  "a request aside of the others in %s",
  (sh) => {
    test("gives output, messages and exit code apart, and refuses more than the limit", async () => {
      const link = await live(open(`exec ${sh}`));
      const asked = [1, 2].map((n) =>
        link.ask("aside", `printf 'a${n}\\n'; echo b >&2; exit 7`, LIMITS),
      );
      const replies = (await Promise.all(asked)).map(({ code, stdout, stderr }) => [
        ...[code, text(stdout), stderr.trim()],
      ]);
      expect(replies).toEqual([
        [7, "a1\n", "b"],
        [7, "a2\n", "b"],
      ]);
      const small = { ...LIMITS, maxBytes: 10 };
      await expect(link.ask("aside", "seq 1 999", small)).rejects.toMatchObject({
        kind: "too_large",
      });
    });

    const oneOf = sh === "dash" ? test : rare;
    oneOf("that hangs fails alone, delays no other request, and is ended on the host", async () => {
      const link = await live(open(`exec ${sh}`));
      const note = noteOf();
      const patience = new AbortController();
      const hang = `echo $$ > '${note}'; sleep 1013 | cat; echo over`;
      const hanging = link.ask("aside", hang, { ...LIMITS, signal: patience.signal });
      const ending = hanging.catch(({ kind }: RunError) => kind);
      const behind = (timeoutMs: number) =>
        link.ask("aside", "echo late", { ...LIMITS, timeoutMs });
      await expect(behind(50)).rejects.toMatchObject({ kind: "timeout" });
      const late = behind(60_000);
      // The host ends it after five seconds: that it still hangs is seen there.
      const look = `until [ -s '${note}' ]; do sleep 0.02; done; kill -0 "$(cat '${note}')" && echo`;
      for (let n = 0; n < 3; n++)
        expect(text((await link.ask("sh", `${look} ${n}`, LIMITS)).stdout)).toBe(`${n}\n`);
      patience.abort();
      expect(await ending).toBe("aborted");
      expect(text((await late).stdout)).toBe("late\n");
      await until(async () => (await isGone(note)) || null);
      expect(link.state.status).toBe("live");
    });
  },
);

test("a request that hangs on the host ends with the link", async () => {
  const note = noteOf();
  const link = await live(open("exec setsid -w sh"));
  link.ask("sh", `echo $$ > '${note}'; exec sleep 1013`, LIMITS).catch(() => null);
  await isNoted(note);
  link.stop();
  await until(async () => (await isGone(note)) || null);
});

/** Becomes ready, reads all of its input, and prints a byte now and then. */
const DRIPPING = `while read -r line; do case $line in mark=*) eval "$line"; break ;; esac; done
printf '\\n%s ready tmux 3.3\\n' "$mark"
cat <&0 >/dev/null &
while :; do printf x; sleep 0.05; done`;

describe("an answer that does not come", () => {
  test("in time keeps a new link from becoming live", async () => {
    const link = open(DRIPPING);
    await until(() => link.isReady || null);
    const asked = link.ask("tmux", "list-panes", { ...LIMITS, timeoutMs: 300 });
    expect(link.state.status).toBe("connecting");
    await expect(asked).rejects.toMatchObject({ kind: "aborted" });
    expect(link.state).toMatchObject({ status: "away", refusal: { reason: "timeout" } });
  });

  test("in time ends the link, and the request may have been done", async () => {
    const link = await live(open("exec sh"));
    const asked = link.ask("sh", "sleep 60", { ...LIMITS, timeoutMs: 50 });
    await expect(asked).rejects.toMatchObject({ kind: "aborted" });
    expect(link.state).toMatchObject({ status: "away", refusal: { reason: "timeout" } });
    await expect(link.ask("sh", "true", LIMITS)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("before the caller gives up leaves the link live", async () => {
    const link = await live(open("exec sh"));
    const patience = new AbortController();
    const asked = link.ask("sh", "echo late", { ...LIMITS, signal: patience.signal });
    patience.abort();
    await expect(asked).rejects.toMatchObject({ kind: "aborted" });
    expect(text((await link.ask("sh", "echo next", LIMITS)).stdout)).toBe("next\n");
  });
});

test("requests are sent ahead and answered in their order", async () => {
  const link = await live(open("exec sh"));
  const asked = [..."abcdef"].map((letter) => link.ask("sh", `echo ${letter}`, LIMITS));
  const replies = (await Promise.all(asked)).map(({ stdout }) => text(stdout).trim());
  expect(replies.join("")).toBe("abcdef");
});

test("a link that ended connects again by itself", async () => {
  const link = await live(open("exec sh"));
  await link.ask("sh", "kill -9 0", LIMITS).catch(() => null);
  await away(link);
  await live(link);
  expect(text((await link.ask("sh", "echo back", LIMITS)).stdout)).toBe("back\n");
});

test("a link tries again at once when the machine has slept", async () => {
  const clock = new FakeClock();
  const attempts = `${tmux.folder}/attempts`;
  const link = open(`echo x >> '${attempts}'; exit 255`, { clock });
  await away(link);
  // The monotonic time stands still: only the jump can cause the second attempt.
  clock.adjustWall(3600);
  await until(async () => (await Bun.file(attempts).text()) === "x\nx\n");
});

describe.each(["without a guard", "under the guard of a screen"])(
  "a send %s, over a link that is cut",
  (way) => {
    const scriptBytes = remoteScript("0".repeat(18)).length;
    /** Marks have one length, so all sends have one length. */
    const markOf = (cut: number) => `<${String(cut).padStart(5, "0")}>`;

    async function guarded() {
      const { id, arrivals } = await receiver(tmux);
      const guard = way === "without a guard" ? null : await seen(id);
      return { id, guard, arrivals };
    }

    async function seen(id: string): Promise<SendGuard> {
      const link = await live(open("exec sh"));
      const provider = remoteProvider(link);
      const pane = (await provider.list(new AbortController().signal)).find(
        (each) => each.id === id,
      );
      const capture =
        pane && (await provider.capture([pane], 24, new AbortController().signal)).get(id);
      link.stop();
      if (!pane || !capture || capture instanceof Error) throw new Error("it was not captured");
      return { identity: pane.identity, contains: [], screen: { pane, text: capture.text } };
    }

    type Receiver = Pick<Awaited<ReturnType<typeof guarded>>, "id" | "guard">;

    async function sendThrough(
      command: string,
      { id, guard }: Receiver,
      mark: string,
      isOver = async () => true,
    ) {
      const link = open(command);
      await until(() => link.isReady || link.state.status === "away");
      const sent = remoteProvider(link).send(id, [{ do: "text", text: mark }], guard);
      const outcome = await sent.catch(() => "not sent");
      await until(async () => (await isOver()) || null);
      link.stop();
      return outcome;
    }

    /** How many bytes travel for one send in each direction. */
    async function lengths(to: Receiver) {
      const [asked, answered] = [`${tmux.folder}/asked`, `${tmux.folder}/answered`];
      const ends = async (file: string, end: RegExp) => end.test(await Bun.file(file).text());
      const isWritten = async () =>
        (await ends(asked, /\n\.\n$/)) && (await ends(answered, / 1 \d+\n$/));
      const through = `tee '${asked}' | sh | tee '${answered}'`;
      expect(await sendThrough(through, to, markOf(0), isWritten)).toBe("sent");
      return { asked: Bun.file(asked).size, answered: Bun.file(answered).size };
    }

    test("at any byte of the request is unknown, and nothing of it arrives", async () => {
      const { arrivals, ...to } = await guarded();
      const { asked } = await lengths(to);
      // Reversed, so that the sample holds the last byte.
      await inTurns(sampled(range(scriptBytes + 1, asked).toReversed(), 14), async (cut) => {
        expect(await sendThrough(`dd bs=1 count=${cut} status=none | sh`, to, markOf(cut))).toBe(
          "unknown",
        );
        expect(await arrivals(markOf(cut))).toBe(0);
      });
    });

    test("at any byte of the answer is unknown, and the text has arrived once", async () => {
      const { arrivals, ...to } = await guarded();
      const { answered } = await lengths(to);
      const ready = `\n${"0".repeat(18)} ready ${text((await tmux.run(["-V"])).stdout).trim()}\n`;
      const all = range(ready.length + 1, answered);
      expect(all.length).toBeGreaterThan(40);
      const cuts = sampled(all, 7);
      await inTurns(cuts, async (cut) => {
        const command = `sh | { dd bs=1 count=${cut} status=none; kill -9 0; }`;
        expect(await sendThrough(command, to, markOf(cut))).toBe("unknown");
      });
      for (const cut of cuts) await until(async () => (await arrivals(markOf(cut))) === 1);
    });

    test("before the send is not sent", async () => {
      const { arrivals: _, ...to } = await guarded();
      expect(await sendThrough("exit 1", to, "<never>")).toBe("not sent");
    });
  },
);

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const serve = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, serve));
}

test("a request that was cut off is never begun", async () => {
  const script = remoteScript("0123456789abcdef01");
  const request = remoteRequest(1, "sh", `touch '${tmux.folder}/begun'`);
  const shell = Bun.spawn(["sh"], { stdin: "pipe", stdout: "ignore", stderr: "ignore" });
  await shell.stdin.write(script);
  await shell.stdin.flush();
  await shell.stdin.write(request.slice(0, -2));
  await shell.stdin.end();
  await shell.exited;
  expect(await Bun.file(`${tmux.folder}/begun`).exists()).toBe(false);
});
