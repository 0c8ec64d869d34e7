import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { chmod, chown, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownershipFaults, requireOwnState } from "../../src/config/ownership.ts";
import { StartupError } from "../../src/errors.ts";
import { temporary } from "../support/temporary.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
let folder = "";
const file = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await temporary("own");
  await writeFile(file("panewatch-access.json"), "{}", { mode: 0o600 });
});

const refusal = () =>
  requireOwnState(folder).then(
    () => "none",
    (error: unknown) => (error instanceof StartupError ? error.message : String(error)),
  );

describe("a state directory", () => {
  test("that only this user can use is accepted, and so is a directory that does not exist yet", async () => {
    expect(await requireOwnState(folder)).toEqual([]);
    expect(await requireOwnState(join(folder, "later"))).toEqual([]);
  });

  test("that others can write, or with a file that others can write, is refused with the remedy", async () => {
    await chmod(folder, 0o777);
    expect(await refusal()).toBe(`others can write ${folder}: chmod go-w ${folder}`);
    await chmod(folder, 0o700);
    await chmod(file("panewatch-access.json"), 0o620);
    const path = file("panewatch-access.json");
    expect(await refusal()).toBe(`others can write ${path}: chmod go-w ${path}`);
  });

  test("that others can only read gives a warning with the remedy", async () => {
    await chmod(folder, 0o755);
    expect(await requireOwnState(folder)).toEqual([
      `others can read in ${folder}: chmod go= ${folder}`,
    ]);
  });

  test("on a file system without rights has no grave fault except a link", async () => {
    await chmod(folder, 0o777);
    await symlink("/etc/passwd", file("panewatch.lock.json"));
    const faults = async (hasRights: boolean) =>
      (await ownershipFaults(folder, null, async () => hasRights)).map(({ remedy, isGrave }) => [
        remedy,
        isGrave,
      ]);
    expect(await faults(true)).toEqual([
      [`chmod go-w ${folder}`, true],
      ["put the file itself there", true],
    ]);
    expect(await faults(false)).toEqual([
      ["keep it on a file system that knows rights", false],
      ["put the file itself there", true],
    ]);
  });

  test("with a link among its files is refused, unless the link is the configuration", async () => {
    await symlink(file("panewatch-access.json"), file("panewatch.yaml"));
    expect(await requireOwnState(folder)).toEqual([]);
    await symlink("/etc/passwd", file("panewatch.lock.json"));
    expect(await refusal()).toBe(
      `${file("panewatch.lock.json")} is a link, which could lead anywhere: put the file itself there`,
    );
  });

  test("with a configuration that others can write gives a warning, by a link too", async () => {
    const [config, link] = [file("panewatch.yaml"), file("linked.yaml")];
    await writeFile(config, "", { mode: 0o600 });
    await symlink(config, link);
    expect(await requireOwnState(folder, config)).toEqual([]);
    await chmod(config, 0o664);
    for (const path of [config, link])
      expect(await requireOwnState(folder, path)).toEqual([
        `others can write ${path}: chmod go-w ${path}`,
      ]);
    expect(await requireOwnState(folder, file("none.yaml"))).toEqual([]);
  });

  test("with a link in the place of any store is refused", async () => {
    for (const name of ["acts.sqlite", "acts.sqlite-wal", "panewatch-agents.sqlite3"]) {
      await symlink("/etc/passwd", file(name));
      expect(await refusal()).toStartWith(`${file(name)} is a link`);
      await rm(file(name));
    }
  });

  test("is accepted whatever the rights of files that are not the service's", async () => {
    await writeFile(file("notes.txt"), "");
    await chmod(file("notes.txt"), 0o666);
    expect(await ownershipFaults(folder)).toEqual([]);
  });

  test.if(isRoot)(
    "of root is accepted for any user, the directory of another user is refused",
    async () => {
      using _ = spyOn(process, "getuid").mockReturnValue(1000);
      expect(await ownershipFaults(folder)).toEqual([]);
      await chown(folder, 1, 1);
      expect(await refusal()).toContain(`${folder} belongs to another user (1)`);
    },
  );

  test.if(isRoot)(
    "of another user is refused, and so is a directory with a file or folder of another user",
    async () => {
      for (const name of ["panewatch-access.json", "uploads"]) {
        if (name === "uploads") await mkdir(file(name), { mode: 0o700 });
        await chown(file(name), NOBODY, NOBODY);
        expect(await refusal()).toStartWith(`${file(name)} belongs to another user (65534)`);
        await chown(file(name), 0, 0);
      }
      await chown(folder, NOBODY, NOBODY);
      expect(await refusal()).toContain(`${folder} belongs to another user`);
    },
  );
});
