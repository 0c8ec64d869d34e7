// The program with a key of a test, by which what it upgrades to is signed.
import { upgradeCommand } from "../../src/cli/install/upgrade.ts";
import { main } from "../../src/program.ts";

declare const KEY_OF_TEST: string;

const argv = process.argv.slice(2);
process.exit(await (argv[0] === "upgrade" ? upgradeCommand({}, [KEY_OF_TEST]) : main(argv)));
