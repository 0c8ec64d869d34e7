import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PairingLink } from "../../../src/protocol/pairing.ts";
import { reasonOf } from "../../net/api.ts";
import { Query } from "../../state/server/query.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, waitText } from "../../words/common.ts";
import { settings as words } from "../../words/settings.ts";
import { stats } from "../../words/stats.ts";
import { copyText } from "../parts/copy.ts";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/section.tsx";

/** A link for one phone, as a QR code. Made when this page is opened, and never kept. */
export function Pair(): JSX.Element {
  const client = useClient();
  const [link] = useState(
    () =>
      new Query(
        (signal) => client.server.api.pairingLink(signal),
        () => client.server.link.refuse("unauthorized"),
      ),
  );
  useEffect(() => void link.load(), [link]);
  const made = link.value.value;
  const failure = link.failure.value;
  return (
    <>
      <p class="page-text">{words.pairText}</p>
      {failure !== null && (
        <p class="saving wrong" role="alert">
          {stats.failedBecause(reasonOf(failure))}
        </p>
      )}
      {made !== null && <Link link={made} />}
      <Button size="block" disabled={link.isLoading.value} onClick={() => void link.load()}>
        {failure === null ? words.pairNew : common.retry}
      </Button>
    </>
  );
}

function Link({ link }: { readonly link: PairingLink }): JSX.Element {
  const client = useClient();
  const left = link.expires_at - client.browser.clock.now.value;
  const isOver = left <= 0;
  return (
    <>
      <figure class={`qr ${isOver ? "over" : ""}`}>
        <svg
          viewBox={`0 0 ${link.qr.size} ${link.qr.size}`}
          role="img"
          aria-label={words.pairQr(link.url)}
          shapeRendering="crispEdges"
        >
          <path d={link.qr.path} />
        </svg>
        <figcaption class="numbers">
          {isOver ? words.pairOver : words.pairLeft(waitText(left))}
        </figcaption>
      </figure>
      <p class="pair-url mono">{link.url}</p>
      {window.isSecureContext && (
        <Button
          size="block"
          class="pair-copy"
          disabled={isOver}
          onClick={() => copyText(client, link.url)}
        >
          <Icon name="copy" />
          {words.pairCopy}
        </Button>
      )}
      {link.is_local && <Notice tone="needs">{words.pairLocal}</Notice>}
      {!link.is_local && link.url.startsWith("http:") && (
        <Notice tone="needs">{words.pairPlain}</Notice>
      )}
      {link.other_urls.length > 0 && (
        <Section kind="sheet" title={words.pairOther}>
          <ul>
            {link.other_urls.map((url) => (
              <li key={url} class="pair-url mono">
                {url}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
