// A shell whose input and output take so long to arrive: `slow-shell.ts MILLISECONDS`.
import { spawn } from "node:child_process";

const delayMs = Number(process.argv[2]);
const shell = spawn("/bin/sh", { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", (bytes) => setTimeout(() => shell.stdin.write(bytes), delayMs));
process.stdin.on("end", () => setTimeout(() => shell.stdin.end(), delayMs));
shell.stdout.on("data", (bytes) => setTimeout(() => process.stdout.write(bytes), delayMs));
shell.on("close", () => setTimeout(() => process.exit(), delayMs));
