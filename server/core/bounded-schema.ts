import { z } from 'zod';

/**
 * Maximum number of issues of each array of an input. Zod collects one for each invalid element: a body with millions of
 * `{}` would fill the memory with issues.
 */
const MAX_ISSUES = 10;

type Schema = z.core.$ZodType;
type Parse = Schema['_zod']['parse'];
type Payload = Parameters<Parse>[0];

/** Where `boundedRecord` stores its limit: zod has no such check for records. */
interface KeyLimit {
  readonly maxKeys?: number;
}

/** A record with at most `max` fields. */
export function boundedRecord<Key extends z.core.$ZodRecordKey, Value extends z.core.SomeType>(
  key: Key,
  value: Value,
  max: number,
): z.ZodRecord<Key, Value> {
  const check = z.check((payload) => {
    if (isTooLarge(payload.value, max)) payload.issues.push(tooManyFields(payload.value, max));
  });
  Object.assign(check._zod.def, { maxKeys: max } satisfies KeyLimit);
  return z.record(key, value).check(check);
}

function isTooLarge(value: unknown, max: number): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > max;
}

function tooManyFields(input: unknown, max: number) {
  return { code: 'custom', message: `may have at most ${max.toLocaleString('en-US')} fields`, input } as const;
}

/** Maximum fields that a schema of a record allows; undefined: unlimited. */
export function maxKeysOf(schema: Schema): number | undefined {
  const limits = (schema._zod.def.checks ?? []).map(({ _zod: { def } }) => (def as KeyLimit).maxKeys);
  return limits.find((limit) => limit !== undefined);
}

/** Maximum items that a schema of an array allows; undefined: unlimited. */
export function maxItemsOf(schema: Schema): number | undefined {
  const limits = (schema._zod.def.checks ?? []).flatMap(({ _zod: { def } }) =>
    def.check === 'max_length' ? [(def as z.core.$ZodCheckMaxLengthDef).maximum] : [],
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The schemas that a schema directly contains. */
export function partsOf(schema: Schema): readonly Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return [...Object.values(def.shape), ...(def.catchall ? [def.catchall] : [])];
    case 'array':
      return [def.element];
    case 'tuple':
      return [...def.items, ...(def.rest ? [def.rest] : [])];
    case 'record':
      return [def.keyType, def.valueType];
    case 'union':
      return def.options;
    case 'intersection':
      return [def.left, def.right];
    case 'pipe':
      return [def.in, def.out];
    case 'lazy':
      return [def.getter()];
    default:
      return 'innerType' in def ? [def.innerType] : [];
  }
}

/** Schemas that `boundProblems` has changed. */
const bounded = new WeakSet<Schema>();

/**
 * Changes a schema, and the schemas in it, so that it stops at ten issues in each array, and checks the size of a record
 * before its values. Must not be used with asynchronous checks inside arrays.
 * @returns the same schema
 */
export function boundProblems<T extends Schema>(schema: T): T {
  const open: Schema[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (bounded.has(next)) continue;
    bounded.add(next);
    const { type } = next._zod.def;
    if (type === 'array') replaceParse(next, boundedArray(next as z.core.$ZodArray));
    if (type === 'record') replaceParse(next, boundedFields(next));
    open.push(...partsOf(next));
  }
  return schema;
}

function replaceParse(schema: Schema, parse: Parse): void {
  const internals = schema._zod;
  // For a schema without checks, zod uses one function for `run` and `parse`.
  if (internals.run === internals.parse) internals.run = parse;
  internals.parse = parse;
}

function boundedArray(schema: z.core.$ZodArray): Parse {
  const parse = schema._zod.parse.bind(schema._zod);
  const { element } = schema._zod.def;
  return (payload, context) => {
    const { value: input } = payload;
    // Zod refuses a value that is no array, or too long, before it checks the elements.
    if (!Array.isArray(input) || input.length > (maxItemsOf(schema) ?? Infinity)) return parse(payload, context);
    const output: unknown[] = [];
    payload.value = output;
    for (const [index, value] of input.entries()) {
      const result = element._zod.run({ value, issues: [] }, context) as Payload;
      output.push(result.value);
      for (const issue of result.issues.slice(0, MAX_ISSUES - payload.issues.length))
        payload.issues.push({ ...issue, path: [index, ...(issue.path ?? [])] });
      if (payload.issues.length >= MAX_ISSUES) break;
    }
    return payload;
  };
}

function boundedFields(schema: Schema): Parse {
  const parse = schema._zod.parse.bind(schema._zod);
  return (payload, context) => {
    const max = maxKeysOf(schema);
    if (max === undefined || !isTooLarge(payload.value, max)) return parse(payload, context);
    payload.issues.push({ ...tooManyFields(payload.value, max), inst: schema, continue: false });
    return payload;
  };
}
