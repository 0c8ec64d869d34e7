import { count } from "../../words/common.ts";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { isOver } from "../../model/lifecycle.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useServer } from "../../state/client.ts";
import type { Said } from "../../state/server/agents/said.ts";
import { Button } from "../../ui/button.tsx";
import { Chips } from "../../ui/chips.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Section } from "../../ui/section.tsx";
import { ListNotice } from "../agents/list.tsx";
import { useToday } from "../parts/derived.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Find, SaidTile, useNameOf } from "./row.tsx";
import { TimeChoice } from "./time-choice.tsx";
import { useSaid } from "./use.ts";
import { dayWithin } from "../../words/times.ts";

const PAGE = 30;
const FIRST_FINDS = 3;

const ROLES = [
  { value: "assistant", label: "Agents" },
  { value: "user", label: "You" },
] as const;

/** What was said with the words that All is searched for, below the panes: by agent, newest first. */
export function SaidFinds({ search }: { readonly search: string }): JSX.Element | null {
  const [role, setRole] = useState<"assistant" | "user" | null>(null);
  const [after, setAfter] = useState<number | null>(null);
  const narrowed = useMemo(() => ({ role, after, limit: PAGE }), [role, after]);
  const said = useSaid(search, narrowed);
  const today = useToday();
  if (said === null) return null;
  const items = said.items.value;
  const from = said.retainedFrom.value;
  return (
    <Section
      title="Said"
      end={
        items !== null &&
        items.length > 0 && (
          <span class="numbers">
            {`${said.hasMore.value ? "more than " : ""}${items.length} in ${count(byAgent(items).length, "agent", "agents")}`}
          </span>
        )
      }
      class="said-all"
    >
      <div class="said-filters">
        <Chips
          label="Filter what was said"
          all={{ label: "All" }}
          chips={ROLES}
          chosen={role}
          onChoose={setRole}
        />
        <TimeChoice after={after} onChoose={setAfter} />
      </div>
      <ListNotice list={said} isDown={false} />
      {items === null && said.failure.value === null && <Skeletons />}
      {items?.length === 0 && <Empty title={`Nothing said “${search.trim()}”`} isStatus />}
      {byAgent(items ?? []).map((finds) => (
        <OfAgent key={finds[0]?.agent.id} finds={finds} />
      ))}
      {said.hasMore.value && (
        <p class="older">
          <Button tone="plain" disabled={said.isLoading.value} onClick={() => void said.more()}>
            Find older
          </Button>
        </p>
      )}
      {items !== null && !said.hasMore.value && from !== null && (
        <p class="chat-end">Kept since {dayWithin(from, today)}</p>
      )}
    </Section>
  );
}

/** In the order of the newest find of each. */
const byAgent = (items: readonly Said[]): readonly (readonly Said[])[] => [
  ...Map.groupBy(items, ({ agent }) => agent.id).values(),
];

function OfAgent({ finds }: { readonly finds: readonly Said[] }): JSX.Element | null {
  const { config } = useServer();
  const nameOf = useNameOf();
  const [isOpen, setOpen] = useState(false);
  const agent = finds[0]?.agent;
  if (agent === undefined) return null;
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const shown = isOpen ? finds : finds.slice(0, FIRST_FINDS);
  return (
    <div class="said-agent">
      <div class="said-of">
        <SaidTile agent={agent} />
        <span class="grow">
          <b class="truncate">
            <TerminalText text={nameOf(agent)} />
          </b>
          <span class="truncate">{isOver(agent) ? `${program}, ended` : program}</span>
        </span>
      </div>
      <ul class="found">
        {shown.map(({ find }) => (
          <Find
            key={find.id}
            hash={agentHash(agent.id, find.id)}
            speaker={find.role === "user" ? "You" : program}
            at={find.created_at}
            find={find}
          />
        ))}
      </ul>
      {finds.length > shown.length && (
        <Button tone="plain" onClick={() => setOpen(true)}>
          {`${count(finds.length - shown.length, "more", "more")} in this agent`}
        </Button>
      )}
    </div>
  );
}
