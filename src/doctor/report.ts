import { type Check, type DoctorContext, fail, type Look, type Topic } from "./topic.ts";

export interface Section {
  title: string;
  checks: readonly Check[];
}

export async function examine(
  topics: readonly Topic[],
  context: DoctorContext,
): Promise<readonly Section[]> {
  const sections: Section[] = [];
  for (const { title, looks } of topics) {
    const checks: Check[] = [];
    for (const look of looks) checks.push(...(await looked(look, context)));
    sections.push({ title, checks });
  }
  return sections;
}

/** A look that throws is a failed check, and the others go on. */
async function looked(look: Look, context: DoctorContext): Promise<readonly Check[]> {
  try {
    return await look(context);
  } catch (error) {
    return [fail(`this could not be looked at: ${String(error)}`, "this is a fault of panewatch")];
  }
}

export function hasFailure(sections: readonly Section[]): boolean {
  return sections.some(({ checks }) => checks.some(({ level }) => level === "fail"));
}

const SIGNS = { ok: "ok  ", warn: "note", fail: "FAIL" } as const;

export function renderReport(sections: readonly Section[]): string {
  const blocks = sections.map(({ title, checks }) =>
    [title, ...checks.flatMap((check) => checkLines(check))].join("\n"),
  );
  const failures = sections.flatMap(({ checks }) => checks).filter(({ level }) => level === "fail");
  const summary = failures.length === 0 ? "Ready." : `${failures.length} to mend before it works.`;
  return `${blocks.join("\n\n")}\n\n${summary}\n`;
}

function checkLines({ level, text, remedy }: Check): string[] {
  const line = `  ${SIGNS[level]}  ${text}`;
  return remedy === undefined ? [line] : [line, `        -> ${remedy}`];
}
