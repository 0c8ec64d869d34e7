import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../../net/api.ts";
import { useBrowser } from "../../state/client.ts";
import { Button, Icon, type IconName } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Item, LinkItem, Segments } from "../../ui/item.tsx";
import { Section } from "../../ui/list.tsx";
import { Tag } from "../../ui/heading.tsx";
import { common } from "../../words/common.ts";
import { Fault, useAct } from "../parts/query-status.tsx";
import { titleOf, type SettingsPage } from "./settings.tsx";

/** Rows under a heading that says whom they are for. */
export function Group(props: {
  readonly title: string;
  readonly audience?: "this browser" | "this device" | "everyone" | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, audience, children } = props;
  return (
    <Section kind="sheet" title={title} end={audience && <span>{audience}</span>}>
      <div class="set">{children}</div>
    </Section>
  );
}

/** Leads to another page of the settings, and is called as that is. */
export function PageLink(
  props: Omit<Parameters<typeof LinkItem>[0], "label" | "onClick"> & { readonly to: SettingsPage },
): JSX.Element {
  const { to, ...rest } = props;
  const { router } = useBrowser();
  return <LinkItem {...rest} label={titleOf(to)} onClick={() => router.show(to, null, "above")} />;
}

/** A device or a machine: a list of checks, and below it the remedy of the one that failed. */
export function CheckCard(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  readonly tag: string;
  readonly tone: "ok" | "error" | undefined;
  readonly checks: ComponentChildren;
  readonly role?: "status";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { icon, title, hint, tag, tone, checks, role, children } = props;
  return (
    <div class="device-card grid gap-12 mb-12 fill round-3" role={role}>
      <div class="flex gap-12">
        <Icon name={icon} class="text-2" />
        <div class="grow">
          <b>{title}</b>
          <span class="item-hint">{hint}</span>
        </div>
        <Tag tone={tone}>{tag}</Tag>
      </div>
      <ul class="checks grid gap-8">{checks}</ul>
      {children}
    </div>
  );
}

/** What the reader can do about a failed check. */
export const Fix = (props: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <div class="fix rule text-2 fs-13">
    <h3 class="mb-4 fs-15 text-1">{props.title}</h3>
    {props.children}
  </div>
);

/** With its segments below the label. */
export const SegmentsItem = <T extends string>(
  props: Parameters<typeof Segments<T>>[0] & { readonly hint: string },
): JSX.Element => (
  <div class="list-item">
    <Item label={props.label} hint={props.hint} />
    <Segments {...props} />
  </div>
);

/** A button, or a row, that asks for confirmation in its own place. The focus goes to Cancel, and back. */
export function ConfirmInPlace(props: {
  readonly label: string;
  /** The accessible name, where the label is not enough. */
  readonly name?: string;
  readonly isRow?: boolean;
  readonly sure: string;
  /** The question, by which the dialog is named. */
  readonly text: ComponentChildren;
  /** Further choices below the question. */
  readonly children?: ComponentChildren;
  readonly notDone: string;
  readonly isOff?: boolean;
  readonly onSure: () => Promise<Result<unknown>>;
}): JSX.Element {
  const { label, name, isRow = false, sure, text, children, notDone, isOff, onSure } = props;
  const [isAsking, setAsking] = useState(false);
  const act = useAct(notDone);
  const place = useRef<HTMLDivElement>(null);
  const hasAsked = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    // Not on the first draw: nobody has pressed the button yet.
    if (hasAsked.current || isAsking)
      giveFocus(place.current?.querySelector<HTMLElement>("button:not(.danger)"), place.current);
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const run = async () => {
    const result = await act.run(onSure);
    if (result?.ok === true) setAsking(false);
  };
  return (
    <div ref={place} class={isAsking ? "asks-twice mt-12 round-4" : isRow ? "set" : undefined}>
      {!isAsking && (
        <button
          type="button"
          class={isRow ? "item text-error" : "button small"}
          aria-label={name}
          disabled={isOff}
          onClick={() => {
            act.forget();
            setAsking(true);
          }}
        >
          {label}
        </button>
      )}
      {isAsking && (
        <div class="grid gap-8" role="alertdialog" aria-labelledby={id}>
          <p id={id}>{text}</p>
          {children}
          <Fault>{act.fault}</Fault>
          <div class="actions">
            <Button size="small" disabled={act.isBusy} onClick={() => setAsking(false)}>
              {common.cancel}
            </Button>
            <Button
              size="small"
              tone="danger"
              disabled={isOff || act.isBusy}
              onClick={() => void run()}
            >
              {sure}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
