import { basename } from "node:path";
import type { Place } from "../creation.ts";

/**
 * Arguments for the multiplexer: detached, so that no attached client changes window or focus.
 * `format` is what it prints about the new pane; `isZoomed` is of the window that is split.
 */
export function creationArgs(
  place: Place,
  directory: string,
  argv: readonly string[],
  { format, isZoomed }: { format: string; isZoomed: boolean },
): string[] {
  return [
    ...placeArgs(place, isZoomed),
    ...(place.type === "session" ? windowName(argv) : []),
    "-d",
    "-c",
    literal(directory),
    "-P",
    "-F",
    format,
    ...commandArgs(argv),
  ];
}

/** By its program: tmux would call it by the first word of the command line, which is `env`. */
function windowName([executable = ""]: readonly string[]): string[] {
  const name = basename(executable);
  // A name is expanded as a format.
  return /^[\w.-]+$/.test(name) ? ["-n", name] : [];
}

function placeArgs(place: Place, isZoomed: boolean): string[] {
  switch (place.type) {
    case "session":
      // -E: the new session takes the multiplexer's environment, not the service's display or agent.
      return ["new-session", "-E", "-s", place.name];
    case "window":
      return ["new-window", "-t", `${place.sessionId}:`, "-n", place.name];
    case "pane": {
      const direction = place.split === "side_by_side" ? "-h" : "-v";
      // A split ends a zoom. -Z keeps it, but would zoom a window that is not.
      const zoom = isZoomed ? ["-Z"] : [];
      const size = `${place.sizePercent}%`;
      return ["split-window", ...zoom, direction, "-l", size, "-t", place.paneId];
    }
  }
}

// The multiplexer hands a single argument to a shell and executes several as they are; `env` makes
// them several.
function commandArgs(argv: readonly string[]): string[] {
  return argv.length === 0 ? [] : ["--", "/usr/bin/env", ...argv];
}

/**
 * A start directory is expanded as a format, where `#(…)` runs a command: every `#` is doubled, but
 * for those before a `[`, which are taken as they are.
 */
function literal(path: string): string {
  return path.replace(/(#+)(\[?)/g, (_, marks: string, bracket: string) =>
    bracket === "" ? marks + marks : marks + bracket,
  );
}
