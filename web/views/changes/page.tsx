import type { JSX } from "preact";
import type { ChangedFile, Changes } from "../../../src/protocol/changes.ts";
import { partsOf } from "../../model/changes.ts";
import { changesHash } from "../../state/browser/router.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import { IconButton } from "../../ui/button.tsx";
import { useWatch } from "../agents/use.ts";
import { Heading } from "../../ui/section.tsx";
import { Counts } from "../parts/counts.tsx";
import { usePane } from "../parts/derived.ts";
import { Head } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Scroll } from "../parts/place.tsx";
import { TerminalText } from "../parts/text.tsx";
import { FileView } from "./file.tsx";
import { FileList, Refused, useTurns } from "./files.tsx";
import { RemarkField, RemarkList, useRemarks } from "./remarks.tsx";

export interface OpenedChanges {
  readonly id: string;
  /** The file that is open. */
  readonly path: string | null;
}

/** What changed in the folder of a pane: its files, or the lines of one, and remarks on them. */
export function ChangesTab({ id, path }: OpenedChanges): JSX.Element {
  const { layout } = useBrowser();
  const part = usePart(ChangesPart);
  const pane = usePane(id).value;
  const list = part.list(id);
  useWatch(list);
  useTurns(pane, () => part.refresh(id));
  const found = list.value.value;
  const isWide = layout.hasThird.value;
  const asked = path ?? (isWide ? (found?.files[0]?.path ?? null) : null);
  const file = found?.files.find((one) => asked !== null && isNamed(one, asked));
  return (
    <section class="changes-page stack grow ground" aria-label="Changes">
      {file !== undefined && (
        <FileHead id={id} file={file} files={found?.files ?? []} isAlone={!isWide} />
      )}
      <Scroll class="changes-body" list={path === null ? `files ${id}` : `diff ${id} ${path}`}>
        {found === null && <Refused query={list} />}
        {found !== null && file === undefined && !isWide && (
          <FileList id={id} changes={found} isFaulty={list.failure.value !== null} />
        )}
        {found !== null && path !== null && file === undefined && <Gone {...{ id, path, found }} />}
        {found !== null && file !== undefined && (
          <FileView key={file.path} {...{ id, file, found }} />
        )}
      </Scroll>
      {isWide && file !== undefined && <KeysFoot />}
    </section>
  );
}

/** What is asked for has not changed any more; the remark that was being written on it stays. */
function Gone(props: {
  readonly id: string;
  readonly path: string;
  readonly found: Changes;
}): JSX.Element {
  const remarks = useRemarks(props.id, props.found);
  const { writing } = remarks;
  return (
    <>
      <p class="hint">This file has not changed any more.</p>
      {writing?.path === props.path && <RemarkField remarks={remarks} remark={writing} />}
    </>
  );
}

/** Beside the lines of a file: all files, and all remarks. */
export function ChangesSide({ id, path }: OpenedChanges): JSX.Element | null {
  const found = usePart(ChangesPart).list(id).value.value;
  return found === null ? null : <Side {...{ id, found }} open={path ?? found.files[0]?.path} />;
}

function Side(props: {
  readonly id: string;
  readonly found: Changes;
  readonly open: string | undefined;
}): JSX.Element {
  const { id, found, open = null } = props;
  const { all } = useRemarks(id, found);
  return (
    <section class="changes-inspector" aria-label="Files">
      <FileList id={id} changes={found} isFaulty={false} open={open} />
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
  const step = (which: "previous" | "next", by: 1 | -1) => {
    const to = files[at + by];
    return (
      <IconButton
        icon={by < 0 ? "up" : "down"}
        label={by < 0 ? "Previous file" : "Next file"}
        data-file={which}
        disabled={to === undefined}
        onClick={() => to !== undefined && router.replace(changesHash(id, to.path))}
      />
    );
  };
  const { name, folder } = partsOf(file.path);
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
      back={isAlone ? { label: "Changes", onBack: () => router.back(changesHash(id)) } : null}
      end={
        <>
          {step("previous", -1)}
          {step("next", 1)}
        </>
      }
    />
  );
}

/** An agent names a file below its own folder, git one below the work tree. */
const isNamed = ({ path }: ChangedFile, asked: string): boolean =>
  path === asked || path.endsWith(`/${asked}`);
