import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ChangedFile, ChangedStatus, Changes } from "../../../src/protocol/changes.ts";
import { matchesPath, splitPath } from "../../model/changes.ts";
import type { Remark } from "../../model/drafts.ts";
import type { Pane } from "../../model/pane.ts";
import { paneHash } from "../../state/browser/router.ts";
import { useBrowser, usePart, useServer, type Client } from "../../state/client.ts";
import { ChangesPart } from "../../state/server/queries.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { leadFocus } from "../../ui/focus.ts";
import { Row } from "../../ui/list.tsx";
import { count } from "../../words/common.ts";
import { useChange, useWatch } from "../agents/use.ts";
import { hasChanges } from "../pane/head.tsx";
import { Counts } from "../parts/excerpt.tsx";
import { usePane } from "../parts/derived.ts";
import { useNear } from "../parts/scroll.tsx";
import { TerminalText } from "../parts/text.tsx";

/**
 * Leads from a card to the files of its pane. They are read once the card comes near the screen, at the end
 * of a turn and when an own answer is confirmed. Nothing is drawn where no file is known to have changed.
 */
export function ChangesButton({ paneId }: { readonly paneId: string }): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const part = usePart(ChangesPart);
  const place = useRef<HTMLSpanElement>(null);
  const [isNear, setNear] = useState(false);
  const pane = usePane(paneId).value;
  const list = part.list(paneId);
  // Only agents change files by themselves.
  const isRead = isNear && pane !== null && pane.agent !== null && hasChanges(server, pane);
  useNear(place, setNear);
  useWatch(isRead ? list : null);
  useRefreshAfterTurn(pane, () => part.refresh(paneId));
  const changes = list.value.value;
  return (
    <span ref={place}>
      {changes !== null && changes.total > 0 && (
        <Button tone="plain" onClick={() => router.go(paneHash(paneId, "changes"))}>
          {count(changes.total, "file", "files")}
          <Counts {...changes} />
        </Button>
      )}
    </span>
  );
}

/** Calls `refresh` when the agent's turn ends or an own answer is confirmed, not with each frame. */
export function useRefreshAfterTurn(pane: Pane | null, refresh: () => void): void {
  const answer = useServer().answers.of(pane?.id ?? "").value;
  const isConfirmed = answer?.step === "sent" && answer.confirmed;
  useEffect(() => {
    if (isConfirmed) refresh();
  }, [isConfirmed]);
  const isWorking = pane?.status === "working";
  useChange(isWorking, (wasWorking) => wasWorking && refresh());
}

export function FileList(props: {
  readonly id: string;
  readonly changes: Changes;
  readonly remarks: readonly Remark[];
  /** Path of the file that is open beside the list. */
  readonly open?: string | undefined;
}): JSX.Element {
  const { id, changes, open } = props;
  const part = usePart(ChangesPart);
  const { files, total, base, branch, other_panes: others, within } = changes;
  const remarks = Map.groupBy(props.remarks, ({ path }) => path);
  return (
    <>
      <p class="summary flex wrap gap-6 mt-8 fs-13 numbers text-2">
        {files.length > 0 && (
          <>
            <b>{count(total, "file", "files")}</b> <Counts {...changes} />
          </>
        )}
        {base !== null && (
          <select
            class="changes-range push tap fs-15 bold text-accent"
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
        <IconButton
          icon="refresh"
          class={base === null ? "push" : ""}
          label="Read again"
          onClick={() => part.refresh(id)}
        />
      </p>
      {files.length === 0 ? (
        <Empty title="Nothing has changed" text="The files are as they were committed." isBrief />
      ) : (
        <ul class="list changes-files">
          {files.map((file) => (
            <li key={file.path} class="row-item" data-at={file.path}>
              <FileRow
                {...{ id, file }}
                isOpen={file.path === open}
                remarks={remarks.get(file.path)?.length ?? 0}
              />
            </li>
          ))}
        </ul>
      )}
      {total > files.length && (
        <p class="mt-12 gutter hint">{`The first ${files.length} are listed.`}</p>
      )}
      <p class="mt-12 gutter hint">
        <TerminalText text={branch === null ? "No branch is checked out" : `Branch ${branch}`} />
        {others.length === 0 ? "." : `, ${othersText(others.length)}`}
        {within !== null && <TerminalText text={` Only ${within} is looked at.`} />}
      </p>
    </>
  );
}

const othersText = (n: number): string =>
  n === 1
    ? "one other agent works in this folder. Its edits are in here too."
    : `${n} other agents work in this folder. Their edits are in here too.`;

const STATUS: Readonly<Record<ChangedStatus, readonly [string, string, string]>> = {
  added: ["A", "added", "text-ok"],
  modified: ["M", "changed", "text-2"],
  deleted: ["D", "deleted", "text-error"],
  renamed: ["R", "renamed", "text-2"],
  retyped: ["T", "of another type", "text-2"],
  conflicted: ["U", "in conflict", "text-error"],
  untracked: ["N", "new, not in git", "text-ok"],
};

function FileRow(props: {
  readonly id: string;
  readonly file: ChangedFile;
  readonly isOpen: boolean;
  readonly remarks: number;
}): JSX.Element {
  const { id, file, isOpen, remarks } = props;
  const { layout, router } = useBrowser();
  const { name, folder } = splitPath(file.path);
  const [letter, word, colour] = STATUS[file.status];
  const hash = paneHash(id, "changes", file.path);
  return (
    <Row
      class={isOpen ? "selected" : ""}
      lead={
        <span class={`letter rigid fs-12 bold mono centred ${colour}`}>
          <span aria-hidden="true">{letter}</span>
          <span class="visually-hidden">{word}</span>
        </span>
      }
      title={<TerminalText text={name} />}
      second={
        <>
          <TerminalText text={folder} />{" "}
          {file.old_path !== null && <TerminalText text={` from ${file.old_path}`} />}
          {remarks > 0 && (
            <span class="inline gap-4 bold text-accent">
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
      onClick={() => (layout.hasThird.value ? router.goBeside(hash) : router.go(hash))}
    />
  );
}

// ---- what keys do in the lines of the open file
export const hasLines = (): boolean => document.querySelector("[data-line]") !== null;

/** To the next or the previous of these lines, from where the focus is. */
export function moveLine(step: 1 | -1, lines = "[data-line]"): void {
  const all = [...document.querySelectorAll<HTMLElement>(lines)];
  const from = document.activeElement ?? document.body;
  const way = step > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const isThere = (line: HTMLElement) => (from.compareDocumentPosition(line) & way) > 0;
  const line = step > 0 ? all.find(isThere) : all.findLast(isThere);
  leadFocus(line);
  line?.scrollIntoView({ block: "nearest" });
}

/** To the first line of the next or the previous change. */
export const moveChange = (step: 1 | -1): void => moveLine(step, '[data-change="first"]');

export const remarkOnLine = (): void =>
  document.querySelector<HTMLElement>("[data-line]:focus")?.click();

/** The open file among those of its pane; null without one, where keys move through the list. */
function openFileOf({ browser: { layout, router }, server }: Client) {
  const page = router.route.value;
  if (page.screen !== "pane" || page.tab !== "changes") return null;
  const { at: path, id } = page;
  const files = server.part(ChangesPart).list(id).value.value?.files ?? [];
  // Beside the list of files the first one is open where the address names none.
  const isFirst = path === null && layout.hasThird.value;
  const at = isFirst ? 0 : files.findIndex((file) => path !== null && matchesPath(file, path));
  return files[at] === undefined ? null : { id, files, at };
}

export const hasFile = (client: Client): boolean => openFileOf(client) !== null;

export function goFile(client: Client, by: 1 | -1): void {
  const open = openFileOf(client);
  const to = open?.files[open.at + by];
  if (open && to) client.browser.router.goBeside(paneHash(open.id, "changes", to.path));
}
