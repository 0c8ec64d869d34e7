import type { JSX } from "preact";
import type { ChangedFile, Changes } from "../../../src/protocol/changes.ts";
import { matchesPath, splitPath } from "../../model/changes.ts";
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
import { FileList, goFile, useRefreshAfterTurn } from "./files.tsx";
import { RemarkField, RemarkList, useRemarks } from "./remarks.tsx";

interface Opened {
  readonly id: string;
  /** Of the open file. */
  readonly path: string | null;
}

export function ChangesTab({ id, path }: Opened): JSX.Element {
  const { layout, router } = useBrowser();
  const part = usePart(ChangesPart);
  const pane = usePane(id).value;
  const list = part.list(id);
  useWatch(list);
  useRefreshAfterTurn(pane, () => part.refresh(id));
  const changes = list.value.value;
  const remarks = useRemarks(id, changes?.top ?? null);
  const { writing } = remarks;
  // The third column has the list of files; beside the queue it has the card.
  const isWide = layout.hasThird.value && router.beside.value !== "queue";
  const wanted = path ?? (isWide ? (changes?.files[0]?.path ?? null) : null);
  const file = changes?.files.find((one) => wanted !== null && matchesPath(one, wanted));
  return (
    <section class="stack grow ground" aria-label="Changes">
      {changes !== null && file !== undefined && (
        <FileHead {...{ id, file }} files={changes.files} isAlone={!isWide} />
      )}
      <Scroll list={path === null ? `files ${id}` : `diff ${id} ${path}`}>
        <QueryStatus query={list} failed="The changes could not be read" />
        {changes !== null && file === undefined && !isWide && (
          <FileList id={id} changes={changes} remarks={remarks.all} />
        )}
        {/* A remark on it that is being written stays. */}
        {changes !== null && path !== null && file === undefined && (
          <>
            <p class="mt-12 gutter hint">This file has not changed any more.</p>
            {writing?.path === path && <RemarkField remarks={remarks} remark={writing} />}
          </>
        )}
        {changes !== null && file !== undefined && (
          <FileView key={file.path} {...{ id, file, remarks }} top={changes.top} />
        )}
      </Scroll>
      {isWide && file !== undefined && <KeysFoot />}
    </section>
  );
}

/** In the third column, beside the lines of a file. */
export function ChangesSide({ id, path }: Opened): JSX.Element | null {
  const changes = usePart(ChangesPart).list(id).value.value;
  const { all } = useRemarks(id, changes?.top ?? null);
  if (changes === null) return null;
  return (
    <section class="changes-inspector" aria-label="Files">
      <FileList id={id} changes={changes} remarks={all} open={path ?? changes.files[0]?.path} />
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
  /** The list of files does not stand beside it. */
  readonly isAlone: boolean;
}): JSX.Element {
  const { id, file, files, isAlone } = props;
  const client = useClient();
  const { router } = client.browser;
  const at = files.indexOf(file);
  const step = (label: string, icon: "up" | "down", by: 1 | -1) => (
    <IconButton
      {...{ icon, label }}
      disabled={files[at + by] === undefined}
      onClick={() => goFile(client, by)}
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
          {step("Previous file", "up", -1)}
          {step("Next file", "down", 1)}
        </>
      }
    />
  );
}
