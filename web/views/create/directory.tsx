import type { JSX } from "preact";
import type { CreationState, DirectoryListing } from "../../../src/protocol/creation.ts";
import { crumbsOf } from "../../model/creation.ts";
import { usePart } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { ChipButton } from "../../ui/item.tsx";
import { common } from "../../words/common.ts";
import { faultOf } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Section } from "../../ui/list.tsx";

/** Where the new program starts: the folder on display. */
export function Directory({ state }: { readonly state: CreationState }): JSX.Element {
  const creation = usePart(Creation);
  const { path } = creation.form.value;
  const listing = creation.listing.value.value;
  const failure = creation.listing.failure.value;
  const isCurrent = listing !== null && listing.path === path;
  return (
    <Section kind="sheet" title="Directory" end={<span>{listing?.root.label}</span>}>
      <div class="set directory">
        {listing !== null && <Crumbs listing={listing} />}
        {failure !== null && (
          <div class="saving wrong" role="alert">
            {faultOf("The folder could not be read", failure)}
            <Button size="small" onClick={() => void creation.listing.load()}>
              {common.retry}
            </Button>
          </div>
        )}
        {failure === null && <Folders listing={isCurrent ? listing : null} />}
      </div>
      <PlaceChips
        label="Roots"
        places={
          state.roots.length > 1 ? state.roots.map(({ label, path }) => ({ label, path })) : []
        }
      />
      <PlaceChips
        label="Recent"
        places={state.recent_directories.map(({ name, path }) => ({ label: name, path }))}
      />
    </Section>
  );
}

function Crumbs({ listing }: { readonly listing: DirectoryListing }): JSX.Element {
  const creation = usePart(Creation);
  const crumbs = crumbsOf(listing);
  return (
    <nav class="crumbs flex wrap text-2" aria-label="Path">
      {crumbs.map(({ name, path }, i) => (
        <span key={path} class="inline">
          {i > 0 && <span aria-hidden="true">/</span>}
          {i === crumbs.length - 1 ? (
            <b class="inline tap" aria-current="location">
              <TerminalText text={name} />
            </b>
          ) : (
            <button type="button" class="inline tap" onClick={() => void creation.go(path)}>
              <TerminalText text={name} />
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

/** `listing` is null while it loads. */
function Folders({ listing }: { readonly listing: DirectoryListing | null }): JSX.Element {
  const creation = usePart(Creation);
  if (listing === null)
    return (
      <p class="saving" role="status">
        Loading
      </p>
    );
  const { directories, truncated } = listing;
  return (
    <div>
      {directories.length === 0 && <p class="saving">No folders in here.</p>}
      <ul class="folders scrolls ruled">
        {directories.map(({ name, path }) => (
          <li key={path}>
            <button type="button" class="item" onClick={() => void creation.go(path)}>
              <Icon name="folder" />
              <span class="grow truncate">
                <TerminalText text={name} />
              </span>
              <Icon name="next" class="small" />
            </button>
          </li>
        ))}
      </ul>
      {truncated && <p class="saving">{`Only the first ${directories.length} are shown.`}</p>}
    </div>
  );
}

function PlaceChips(props: {
  readonly label: string;
  readonly places: readonly { readonly label: string; readonly path: string }[];
}): JSX.Element | null {
  const { label, places } = props;
  const creation = usePart(Creation);
  if (places.length === 0) return null;
  return (
    <div class="chips flex scrolls-x gap-8" role="group" aria-label={label}>
      {places.map((place) => (
        <ChipButton
          key={place.path}
          chip={{
            label: <TerminalText text={place.label} />,
            mark: <Icon name={label === "Recent" ? "clock" : "folder"} class="small" />,
          }}
          title={place.path}
          onPress={() => void creation.go(place.path)}
        />
      ))}
    </div>
  );
}
