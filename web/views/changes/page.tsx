import type { JSX } from "preact";
import type { ChangedFile, Changes } from "../../../src/protocol/changes.ts";
import { matchesPath, splitPath } from "../../model/changes.ts";
import { reasonOf } from "../../net/api.ts";
import { paneHash } from "../../state/browser/router.ts";
import { useBrowser, useClient, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/queries.ts";
import { IconButton } from "../../ui/button.tsx";
import { useWatch } from "../agents/use.ts";
import { Heading } from "../../ui/heading.tsx";
import { QueryStatus } from "../parts/query-status.tsx";
import { Counts } from "../parts/excerpt.tsx";
import { usePane } from "../parts/derived.ts";
import { Head } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { TerminalText } from "../parts/text.tsx";
import { FileView } from "./file.tsx";
import { FileList, useTurns } from "./files.tsx";
import { hasFile } from "./keys.ts";
import { RemarkField, RemarkList, useRemarks } from "./remarks.tsx";

interface Opened {
  readonly id: string;
  /** The file that is open. */
  readonly path: string | null;
}

const REFUSED: Readonly<Record<string, string>> = {
  other_machine: "This pane is on another machine",
  no_base: "There is no branch to compare with",
  unreadable: "Git cannot read this repository",
};

/** What changed in the folder of a pane: its files, or the lines of one, and remarks on them. */
export function ChangesTab({ id, path }: Opened): JSX.Element {
  const client = useClient();
  const { layout, router } = client.browser;
  const part = usePart(ChangesPart);
  const pane = usePane(id).value;
  const list = part.list(id);
  useWatch(list);
  useTurns(pane, () => part.refresh(id));
  const found = list.value.value;
  const failure = list.failure.value;
  const remarks = useRemarks(id, found?.top ?? null);
  const { writing } = remarks;
  // Its files stand beside the page, but not beside the queue, whose cards do.
  const isWide = layout.hasThird.value && router.beside.value !== "queue";
  const asked = path ?? (isWide ? (found?.files[0]?.path ?? null) : null);
  const file = found?.files.find((one) => asked !== null && matchesPath(one, asked));
  return (
    <section class="changes-page stack grow ground" aria-label="Changes">
      {found !== null && file !== undefined && (
        <FileHead {...{ id, file }} files={found.files} isAlone={!isWide} />
      )}
      <Scroll class="changes-body" list={path === null ? `files ${id}` : `diff ${id} ${path}`}>
        <QueryStatus
          query={list}
          failed={(failure && REFUSED[reasonOf(failure)]) ?? "The changes could not be read"}
        />
        {found !== null && file === undefined && !isWide && (
          <FileList id={id} changes={found} remarks={remarks.all} />
        )}
        {/* The remark that was being written on it stays. */}
        {found !== null && path !== null && file === undefined && (
          <>
            <p class="mt-12 gutter hint">This file has not changed any more.</p>
            {writing?.path === path && <RemarkField remarks={remarks} remark={writing} />}
          </>
        )}
        {found !== null && file !== undefined && (
          <FileView key={file.path} {...{ id, file, remarks }} top={found.top} />
        )}
      </Scroll>
      {isWide && hasFile(client) && <KeysFoot />}
    </section>
  );
}

/** Beside the lines of a file: all files, and all remarks. */
export function ChangesSide({ id, path }: Opened): JSX.Element | null {
  const found = usePart(ChangesPart).list(id).value.value;
  const { all } = useRemarks(id, found?.top ?? null);
  if (found === null) return null;
  return (
    <section class="changes-inspector" aria-label="Files">
      <FileList id={id} changes={found} remarks={all} open={path ?? found.files[0]?.path} />
      {all.length > 0 && (
        <>
          <Heading title="Remarks" count={all.length} />
          <div class="panel">
            <RemarkList remarks={all} />
          </div>
        </>
      )}
    </section>
  );
}

const KEYS = { "j k": "file", "n p": "change", r: "remark on the line" };

/** What keys do in the lines; nothing where single keys are switched off. */
function KeysFoot(): JSX.Element | null {
  const { preferences } = useBrowser();
  if (!preferences.current.value.singleKeys) return null;
  return (
    <p class="keys-foot rule rigid pad flex gap-12 fs-13 text-2">
      {Object.entries(KEYS).map(([keys, does]) => (
        <span key={keys}>
          <KeyCaps keys={keys} /> {does}
        </span>
      ))}
    </p>
  );
}

function FileHead(props: {
  readonly id: string;
  readonly file: ChangedFile;
  readonly files: Changes["files"];
  /** Its list does not stand beside it. */
  readonly isAlone: boolean;
}): JSX.Element {
  const { id, file, files, isAlone } = props;
  const { router } = useBrowser();
  const at = files.indexOf(file);
  const step = (label: string, icon: "up" | "down", to: ChangedFile | undefined) => (
    <IconButton
      {...{ icon, label }}
      disabled={to === undefined}
      onClick={() => to && router.goBeside(paneHash(id, "changes", to.path))}
    />
  );
  const { name, folder } = splitPath(file.path);
  return (
    <Head
      level={2}
      title={<TerminalText text={name} />}
      second={
        <>
          {folder !== "" && <TerminalText text={`${folder} · `} />}
          {`${at + 1} of ${files.length}`} <Counts {...file} />
        </>
      }
      back={
        isAlone ? { label: "Changes", onBack: () => router.back(paneHash(id, "changes")) } : null
      }
      end={
        <>
          {step("Previous file", "up", files[at - 1])}
          {step("Next file", "down", files[at + 1])}
        </>
      }
    />
  );
}
