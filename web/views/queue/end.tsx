import type { JSX } from "preact";
import { AlwaysAllowed } from "./always-allowed.tsx";
import { SetUp } from "./set-up.tsx";

/** Below everything that needs a person. */
export function QueueEnd(): JSX.Element {
  return (
    <>
      <SetUp />
      <AlwaysAllowed />
    </>
  );
}
