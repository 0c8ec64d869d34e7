import { z } from "zod";

/** What is sent with each method, in the types of a JSON schema. */
const SENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "session.snapshot": {},
  "pane.get": { pane_id: "string" },
  "pane.read": { pane_id: "string", source: "string", lines: "integer", format: "string" },
  "pane.send_text": { pane_id: "string", text: "string" },
  "pane.send_keys": { pane_id: "string", keys: "array" },
  "agent.send_keys": { target: "string", keys: "array" },
  "pane.process_info": { pane_id: "string" },
};

const Requests = z.object({
  schemas: z.object({
    request: z.object({
      oneOf: z.array(
        z.object({
          properties: z.object({ method: z.object({ const: z.string() }), params: z.unknown() }),
        }),
      ),
    }),
  }),
});

const Node = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
type Node = z.infer<typeof Node>;

/**
 * The methods of a schema that take something else than what is sent with them: they need more, or
 * know a parameter not or as another type. Answers are not looked at: each is checked as it comes.
 */
export function misfits(schema: unknown): string[] {
  const methods = Requests.safeParse(schema).data?.schemas.request.oneOf ?? [];
  return Object.entries(SENT).flatMap(([method, sent]) => {
    const found = methods.find(({ properties }) => properties.method.const === method);
    return found && !takes(schema, found.properties.params, sent) ? [method] : [];
  });
}

function takes(schema: unknown, params: unknown, sent: Readonly<Record<string, string>>): boolean {
  const { properties = {}, required = [] } = resolve(schema, params);
  if (required.some((name) => !(name in sent))) return false;
  return Object.entries(sent).every(
    ([name, type]) => name in properties && typesOf(schema, properties[name]).includes(type),
  );
}

function typesOf(schema: unknown, value: unknown): string[] {
  const { type = [], anyOf = [] } = resolve(schema, value);
  return [type, ...anyOf.map((each) => typesOf(schema, each))].flat();
}

/** A node of the schema, or the one that it refers to: `#/schemas/request/$defs/PaneTarget`. */
function resolve(schema: unknown, value: unknown): Node {
  const node = Node.safeParse(value).data ?? {};
  if (!node.$ref?.startsWith("#/")) return node;
  const path = node.$ref.slice(2).split("/");
  return resolve(
    schema,
    path.reduce<unknown>(
      (at, name) => z.record(z.string(), z.unknown()).safeParse(at).data?.[name],
      schema,
    ),
  );
}
