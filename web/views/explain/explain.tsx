import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Explanation } from "../../../src/protocol/explain.ts";
import type { Pane } from "../../model/pane.ts";
import { Query } from "../../state/server/query.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common, count, waitText } from "../../words/common.ts";
import { Line } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { SheetSection } from "./wrong.tsx";

export function ExplainSheet({ pane }: { readonly pane: Pane }): JSX.Element {
  const { api, config } = useServer();
  const { router } = useBrowser();
  const [query] = useState(
    () => new Query((signal) => api.call("POST /api/explain", { json: { id: pane.id }, signal })),
  );
  useEffect(() => void query.load(), [query]);
  const explanation = query.value.value;
  return (
    <Sheet
      title="Why this status?"
      footer={
        <div class="flex gap-8">
          {explanation !== null && (
            <Button class="grow" disabled={query.isLoading.value} onClick={() => void query.load()}>
              Look again
            </Button>
          )}
          {config.has("screen_cases_v1") && (
            <Button class="grow" onClick={() => router.show("wrong", pane.id)}>
              This is wrong
            </Button>
          )}
        </div>
      }
    >
      <p class="text-2">
        <TerminalText text={pane.name} />
      </p>
      <QueryStatus query={query} failed="The server could not say" />
      {explanation !== null && <Reasons explanation={explanation} />}
    </Sheet>
  );
}

function Reasons({ explanation }: { readonly explanation: Explanation }): JSX.Element {
  const { status, kind, live_region: region, prompt, ruled_out: ruledOut } = explanation;
  const { config } = useServer();
  return (
    <>
      <SheetSection title="Status" rule={status.rule}>
        <p class="bold">{statusWord(status.value)}</p>
      </SheetSection>
      <SheetSection
        title="The line that decided"
        end={status.line_index === null ? "" : `line ${status.line_index + 1}`}
      >
        {status.line === null ? (
          <p class="mt-4 fs-13 text-2">No single line decided.</p>
        ) : (
          <>
            <Code lines={[status.line]} />
            {status.line_age !== null && (
              <p class="mt-4 fs-13 text-2">{ageText(status.line_age)}</p>
            )}
          </>
        )}
      </SheetSection>
      <SheetSection
        title="What counts as live"
        rule={region.rule}
        end={region.end <= region.start ? "no line" : `lines ${region.start + 1} to ${region.end}`}
      >
        <Code
          lines={region.lines}
          marked={status.line_index === null ? null : status.line_index - region.start}
        />
      </SheetSection>
      {prompt !== null && (
        <SheetSection title="Prompt" rule={prompt.parser}>
          <p class="bold">
            <TerminalText text={prompt.question} />
          </p>
          <p class="mt-4 fs-13 text-2">
            {prompt.recognised ? "A dialog that is known" : "Not a dialog that is known"},{" "}
            {count(prompt.options, "answer", "answers")}
          </p>
        </SheetSection>
      )}
      <SheetSection title="Kind" rule={kind.rule}>
        <p class="bold">{config.labels.value[kind.value] ?? kind.value}</p>
        {kind.evidence !== null && (
          <p class="mt-4 fs-13 text-2">
            Known by <TerminalText text={kind.evidence} class="mono" />
          </p>
        )}
      </SheetSection>
      {ruledOut.length > 0 && (
        <SheetSection title="What was ruled out" end={String(ruledOut.length)}>
          <ul class="explain-rules fs-13 fill round-3 ruled">
            {ruledOut.map((trace, i) => (
              <li key={i} class="grid">
                <span class="mono fs-12 anywhere">{trace.rule}</span>
                <span class="text-2">
                  {trace.note ?? (trace.matched ? "matched" : "did not match")}
                </span>
                {trace.line !== null && <Code lines={[trace.line]} />}
              </li>
            ))}
          </ul>
        </SheetSection>
      )}
    </>
  );
}

function Code(props: {
  readonly lines: readonly string[];
  /** Index of the line that decided. */
  readonly marked?: number | null;
}): JSX.Element | null {
  const { lines, marked = null } = props;
  if (lines.length === 0) return null;
  return (
    <div class="excerpt">
      <pre dir="ltr">
        {lines.map((line, i) => (
          <Line key={i} text={line} class={i === marked && lines.length > 1 ? "marked" : ""} />
        ))}
      </pre>
    </div>
  );
}

const ageText = (seconds: number): string =>
  seconds < 5 ? "It has just appeared." : `It has been there for ${waitText(seconds)}.`;

function statusWord(value: string): string {
  const known: Readonly<Record<string, string>> = common.status;
  return known[value] ?? value;
}
