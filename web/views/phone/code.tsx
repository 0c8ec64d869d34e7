import type { JSX } from "preact";
import type { PairingLink } from "../../../src/protocol/pairing.ts";
import { reasonOf } from "../../net/api.ts";
import type { PhoneSetup } from "../../state/server/phone.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { scopes } from "../../words/scopes.ts";
import { CODE_SCOPES } from "../settings/devices.tsx";

/** The code, or the place where it comes. */
export function Code({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  const link = setup.link.value.value;
  const failure = setup.link.failure.value;
  if (link !== null && setup.canShowCode.value)
    return (
      <div>
        <Shown link={link} />
        <ScopeChoice setup={setup} />
      </div>
    );
  return (
    <div>
      <div class="qr no-qr grid gap-10 text-2 fs-13 centred">
        <Icon name="phone" />
        <span>
          The code comes here
          <br />
          once phones can reach this page
        </span>
      </div>
      {failure !== null && (
        <p class="saving wrong" role="alert">
          {reasonOf(failure)}
        </p>
      )}
      <p class="phone-under mt-12 text-2 fs-13 centred">
        <StatusIcon shape="working" /> Looking every 3 s
      </p>
    </div>
  );
}

/** What the device that comes in by the code may do. */
function ScopeChoice({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  return (
    <label class="phone-under phone-lets mt-12 text-2 fs-13 centred flex middle gap-4">
      It may{" "}
      <select
        value={setup.codeScope.value}
        // The options are those of the list and nothing else.
        onChange={(event) =>
          void setup.chooseScope(event.currentTarget.value as (typeof CODE_SCOPES)[number])
        }
      >
        {CODE_SCOPES.map((one) => (
          <option key={one} value={one}>
            {scopes[one].label}
          </option>
        ))}
      </select>
      <Icon name="down" class="small" />
    </label>
  );
}

function Shown({ link }: { readonly link: PairingLink }): JSX.Element {
  const { clock } = useBrowser();
  const left = Math.max(0, Math.floor(link.expires_at - clock.now.value));
  return (
    <div>
      <div class="qr">
        <svg
          viewBox={`0 0 ${link.qr.size} ${link.qr.size}`}
          role="img"
          aria-label={`QR code of ${link.url}`}
          shapeRendering="crispEdges"
        >
          <path d={link.qr.path} />
        </svg>
      </div>
      <p class="phone-under mt-12 text-2 fs-13 centred">
        <b class="numbers">Works once, for {minutesOf(left)}</b>
        <br />
        Or open the address and type <span class="mono">{link.short_code}</span>
      </p>
    </div>
  );
}

/** `4:32` */
const minutesOf = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
