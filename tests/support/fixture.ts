import { z } from "zod";

/** Members that matter; of an object within, those of it that matter. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

const NO_UUID = "00000000-0000-4000-8000-000000000000";

/**
 * A value of a schema from what a test states of it. The rest is the least that the schema has: empty,
 * zero, false or null, the first of several values; what is optional is absent.
 */
export function fixture<T>(schema: z.ZodType<T>, given: DeepPartial<NoInfer<T>>): T {
  // Built member by member after the schema, whose test parses what came of it.
  return valueOf(schema, given) as T;
}

function valueOf(schema: z.core.$ZodType, given: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return given === null || given === undefined
      ? schema instanceof z.ZodNullable
        ? null
        : undefined
      : valueOf(schema.def.innerType, given);
  if (!(schema instanceof z.ZodObject)) return given === undefined ? leastOf(schema) : given;
  const members: Record<string, unknown> = { ...Object(given) };
  for (const [name, member] of Object.entries<z.core.$ZodType>(schema.shape)) {
    const value = valueOf(member, members[name]);
    if (value !== undefined) members[name] = value;
  }
  return members;
}

function leastOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodUUID) return NO_UUID;
  if (schema instanceof z.ZodString) return "";
  if (schema instanceof z.ZodNumber) return 0;
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodArray) return [];
  if (schema instanceof z.ZodRecord) return {};
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  throw new Error(`a fixture of ${schema._zod.def.type} has to be given`);
}
