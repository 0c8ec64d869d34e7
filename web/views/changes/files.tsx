import type { JSX } from "preact";
import type { ChangedFile, Changes } from "../../../src/protocol/changes.ts";
import { letterOf, partsOf } from "../../model/changes.ts";
import { reasonOf } from "../../net/api.ts";
import { changesHash } from "../../state/browser/router.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/changes.ts";
import type { Query } from "../../state/server/query.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Row } from "../../ui/row.tsx";
import { common, count } from "../../words/common.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { useRemarks } from "./use.ts";

/** All files that changed, and what they are compared with. */
export function FileList(props: {
  readonly id: string;
  readonly changes: Changes;
  /** The last look failed: what stands here is older. */
  readonly isFaulty: boolean;
  /** The file that stands beside the list. */
  readonly open?: string | null;
}): JSX.Element {
  const { id, changes, isFaulty, open = null } = props;
  const part = usePart(ChangesPart);
  const { files, total, base } = changes;
  const { all: remarks } = useRemarks(id, changes);
  return (
    <>
      {isFaulty && <p class="hint">The changes could not be read</p>}
      <p class="summary numbers">
        {files.length > 0 && (
          <>
            <b>{count(total, "file", "files")}</b> <Counts {...changes} />
          </>
        )}
        {base !== null && (
          <select
            class="changes-range fs-15 bold text-accent"
            aria-label="Compared with"
            value={part.range.value}
            onChange={({ currentTarget }) =>
              (part.range.value = currentTarget.value === "base" ? "base" : "head")
            }
          >
            <option value="head">Not committed</option>
            <option value="base">{`Since ${base}`}</option>
          </select>
        )}
        <IconButton icon="refresh" label="Read again" onClick={() => part.refresh(id)} />
      </p>
      {files.length === 0 ? (
        <Empty title="Nothing has changed" text="The files are as they were committed." isBrief />
      ) : (
        <>
          <ul class="list changes-files">
            {files.map((file) => (
              <li key={file.path} class="row-item" data-at={file.path}>
                <FileRow
                  {...{ id, file }}
                  isOpen={file.path === open}
                  remarks={remarks.filter(({ path }) => path === file.path).length}
                />
              </li>
            ))}
          </ul>
          {total > files.length && <p class="hint">{`The first ${files.length} are listed.`}</p>}
        </>
      )}
      <Branch changes={changes} />
    </>
  );
}

function FileRow(props: {
  readonly id: string;
  readonly file: ChangedFile;
  readonly isOpen: boolean;
  readonly remarks: number;
}): JSX.Element {
  const { id, file, isOpen, remarks } = props;
  const { layout, router } = useBrowser();
  const { name, folder } = partsOf(file.path);
  const hash = changesHash(id, file.path);
  return (
    <Row
      class={isOpen ? "selected" : ""}
      lead={
        <span class={`letter status-${file.status}`}>
          <span aria-hidden="true">{letterOf(file.status)}</span>
          <span class="visually-hidden">{STATUS[file.status]}</span>
        </span>
      }
      title={<TerminalText text={name} />}
      second={
        <>
          <TerminalText text={folder} />
          {file.old_path !== null && <TerminalText text={` from ${file.old_path}`} />}
          {remarks > 0 && (
            <span class="remark-count">
              <Icon name="speech" class="small" />
              <span class="visually-hidden">Remarks </span>
              {remarks}
            </span>
          )}
        </>
      }
      end={
        <>
          <Counts {...file} />
          <Icon name="next" class="small" />
        </>
      }
      onClick={() => (layout.hasThird.value ? router.replace(hash) : router.go(hash))}
    />
  );
}

/** "+61 −18", read as "added 61, removed 18". */
export function Counts(props: {
  readonly added: number | null;
  readonly removed: number | null;
}): JSX.Element | null {
  const { added, removed } = props;
  if (added === null || removed === null) return null;
  return (
    <span class="counts numbers">
      <span class="visually-hidden">{`added ${added}, removed ${removed}`}</span>
      {added > 0 && (
        <span class="added" aria-hidden="true">
          +{added}
        </span>
      )}{" "}
      {removed > 0 && (
        <span class="removed" aria-hidden="true">
          −{removed}
        </span>
      )}
    </span>
  );
}

function Branch({ changes }: { readonly changes: Changes }): JSX.Element {
  const { branch, other_panes: others, within } = changes;
  return (
    <p class="changes-branch hint">
      <TerminalText text={branch === null ? "No branch is checked out" : `Branch ${branch}`} />
      {others.length > 0 ? `, ${othersIn(others.length)}` : "."}
      {within !== null && <TerminalText text={` ${`Only ${within} is looked at.`}`} />}
    </p>
  );
}

/** Why there is nothing to show yet, in words. */
export function Refused({ query }: { readonly query: Query<Changes> }): JSX.Element {
  const failure = query.failure.value;
  if (failure === null) return <Skeletons />;
  const reason = reasonOf(failure);
  const title =
    Object.entries(REFUSED).find(([name]) => name === reason)?.[1] ??
    "The changes could not be read";
  return (
    <Empty title={title} isStatus>
      <Button onClick={() => void query.reload()}>{common.retry}</Button>
    </Empty>
  );
}

const othersIn = (n: number): string =>
  n === 1
    ? "one other agent works in this folder. Its edits are in here too."
    : `${n} other agents work in this folder. Their edits are in here too.`;

const REFUSED = {
  other_machine: "This pane is on another machine",
  no_base: "There is no branch to compare with",
  unreadable: "Git cannot read this repository",
} as const;

const STATUS: Readonly<Record<ChangedFile["status"], string>> = {
  added: "added",
  modified: "changed",
  deleted: "deleted",
  renamed: "renamed",
  retyped: "of another type",
  conflicted: "in conflict",
  untracked: "new, not in git",
};
