import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { AlwaysAllowed as Question } from "../../../src/protocol/answered.ts";
import { useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/section.tsx";
import { count as plural } from "../../words/common.ts";
import { copyText } from "../parts/copy.ts";
import { useToday } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { dayWithin } from "../../words/times.ts";

/** A day within a sentence. */
/** Which exact questions were always answered alike, and the agent's own setting that would allow each. */
export function AlwaysAllowed(): JSX.Element | null {
  const { config, query: ask } = useServer();
  const query = ask("GET /api/answered");
  const isThere = config.has("answered_v1");
  // Looked up whenever the queue is turned to; it says nothing that would be urgent.
  useEffect(() => {
    if (isThere) void query.reload();
  }, [query, isThere]);
  const questions = query.value.value?.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <Section title="Always allowed" count={questions.length}>
      <ul class="always-allowed">
        {questions.map((question) => (
          <QuestionRow key={question.id} question={question} />
        ))}
      </ul>
    </Section>
  );
}

function QuestionRow({ question }: { readonly question: Question }): JSX.Element {
  const { command, count, folder, id, setting, since } = question;
  const client = useClient();
  const today = useToday();
  const putAway = async () => {
    const { api, query } = client.server;
    const { ok } = await api.call("POST /api/answered/hide", { json: { id } });
    if (!ok) return client.browser.messages.alert("It could not be put away. Try again.");
    const { value } = query("GET /api/answered");
    const questions = value.value?.questions.filter((one) => one.id !== id) ?? [];
    value.value = { questions };
  };
  return (
    <li>
      <code class="untrusted" dir="ltr">
        <TerminalText text={command} dir="ltr" />
      </code>
      <p>
        {`Allowed ${plural(count, "time", "times")} from here since ${dayWithin(since, today)}, never refused.`}
      </p>
      <p>
        <code class="untrusted" dir="ltr">
          <TerminalText text={setting.rule} dir="ltr" />
        </code>{" "}
        in <code>permissions.allow</code> of{" "}
        <code class="untrusted" dir="ltr">
          <TerminalText text={`${folder}/${setting.file}`} dir="ltr" />
        </code>
        would allow exactly this command there, and nothing else.
      </p>
      <div class="actions">
        <Button onClick={() => copyText(client, JSON.stringify(setting.rule))}>Copy setting</Button>
        {client.server.may("type") && (
          <Button tone="plain" onClick={() => void putAway()}>
            Not this one
          </Button>
        )}
      </div>
    </li>
  );
}
