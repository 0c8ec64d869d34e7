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
import { Segments } from "../../ui/segments.tsx";
import { changes as words } from "../../words/changes.ts";
import { common } from "../../words/common.ts";
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
      {base !== null && (
        <Segments
          class="changes-range"
          label={words.range}
          options={[
            { value: "head", label: words.ranges.head },
            { value: "base", label: words.ranges.base(base) },
          ]}
          chosen={part.range.value}
          onChoose={(range) => (part.range.value = range)}
        />
      )}
      {isFaulty && <p class="hint">{words.refused.other}</p>}
      {files.length === 0 ? (
        <Empty title={words.none} text={words.noneText} isBrief />
      ) : (
        <>
          <p class="summary numbers">
            <b>{words.files(total)}</b> <Counts {...changes} />
            <IconButton icon="refresh" label={words.refresh} onClick={() => part.refresh(id)} />
          </p>
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
          {total > files.length && <p class="hint">{words.listed(files.length)}</p>}
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
      class={isOpen ? "chosen" : ""}
      lead={
        <span class={`letter status-${file.status}`}>
          <span aria-hidden="true">{letterOf(file.status)}</span>
          <span class="visually-hidden">{words.status[file.status]}</span>
        </span>
      }
      title={<TerminalText text={name} />}
      second={
        <>
          <TerminalText text={folder} />
          {file.old_path !== null && <TerminalText text={` ${words.from(file.old_path)}`} />}
          {remarks > 0 && (
            <span class="remark-count">
              <Icon name="speech" class="small" />
              <span class="visually-hidden">{words.remarks} </span>
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
      <span class="visually-hidden">{words.lines(added, removed)}</span>
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
      <TerminalText text={branch === null ? words.noBranch : words.branch(branch)} />
      {others.length > 0 ? `, ${words.others(others.length)}` : "."}
      {within !== null && <TerminalText text={` ${words.within(within)}`} />}
    </p>
  );
}

/** Why there is nothing to show yet, in words. */
export function Refused({ query }: { readonly query: Query<Changes> }): JSX.Element {
  const failure = query.failure.value;
  if (failure === null) return <Skeletons />;
  const reason = reasonOf(failure);
  const title =
    Object.entries(words.refused).find(([name]) => name === reason)?.[1] ?? words.refused.other;
  return (
    <Empty title={title} isStatus>
      <Button onClick={() => void query.reload()}>{common.retry}</Button>
    </Empty>
  );
}
