import { z } from 'zod';
import type { SettingInput } from '#server/core/settings-report';

/** One setting of the engine: what it may be, how the environment spells it, and what a person reads about it. */
export interface Setting<T, Variable extends string = string> {
  /** Name of its environment variable. */
  readonly variable: Variable;
  readonly unit: string;
  /** Its range, in words. */
  readonly range: string;
  readonly meaning: string;
  readonly input: SettingInput;
  readonly default: T;
  readonly schema: z.ZodType<T>;
  /** Reads it from the environment's text. */
  readonly textSchema: z.ZodType<T, string>;
  /** Writes it as the environment's text; empty where nothing is set. */
  toText(this: void, value: T): string;
}

interface Description<Variable extends string> {
  readonly variable: Variable;
  readonly meaning: string;
}

interface NumberDescription<Variable extends string> extends Description<Variable> {
  readonly unit: string;
  readonly range: readonly [min: number, max: number];
  readonly default: number;
}

/** Largest number of tokens or characters that any setting accepts. */
export const MANY = 100_000_000;

const spelled = (value: number) => value.toLocaleString('en-US');

/** A number without a fraction: tokens, characters, turns. */
export function wholeNumber<const Variable extends string>(description: NumberDescription<Variable>) {
  return numeric(description, true, description.range.map(spelled).join(' to '));
}

/** A number that may have a fraction: a share, a factor. */
export function fraction<const Variable extends string>(description: NumberDescription<Variable>) {
  return numeric(description, false, description.range.join(' to '));
}

function numeric<Variable extends string>(
  { range: [min, max], ...rest }: NumberDescription<Variable>,
  whole: boolean,
  range: string,
): Setting<number, Variable> {
  const error = `must be a ${whole ? 'whole ' : ''}number from ${range}`;
  const schema = (whole ? z.int(error) : z.number(error)).min(min, error).max(max, error);
  const text = z.string().regex(whole ? /^\d{1,15}$/ : /^\d{1,3}(\.\d{1,9})?$/, error);
  const input = { kind: 'number', min, max, whole } as const;
  return { ...rest, range, input, schema, textSchema: text.transform(Number).pipe(schema), toText: String };
}

/** On or off. */
export function toggle<const Variable extends string>(
  description: Description<Variable> & { readonly default: boolean },
): Setting<boolean, Variable> {
  const error = 'must be true or false';
  return {
    ...description,
    unit: '',
    range: 'true, false',
    input: { kind: 'toggle' },
    schema: z.boolean(error),
    textSchema: z.enum(['true', 'false'], error).transform((text) => text === 'true'),
    toText: String,
  };
}

/** One of a few names. */
export function choice<const Variable extends string, const Name extends string>(
  description: Description<Variable> & { readonly names: readonly Name[]; readonly default: NoInfer<Name> },
): Setting<Name, Variable> {
  const { names, ...rest } = description;
  const schema = z.enum(names, `must be one of: ${names.join(', ')}`);
  return {
    ...rest,
    unit: '',
    range: names.join(', '),
    input: { kind: 'choice', names },
    schema,
    textSchema: z.string().pipe(schema),
    toText: String,
  };
}

const MAX_MODEL_ID_LENGTH = 200;
const modelIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_MODEL_ID_LENGTH, `must be a model id of at most ${MAX_MODEL_ID_LENGTH} characters`)
  .regex(/^[^\p{C}\p{Z}]*$/u, 'must be a model id: no spaces and no control or invisible characters');

/** The id of a model, or the word that stands for one, which is its default. */
export function modelId<const Variable extends string>(
  description: Description<Variable> & { readonly default: string },
): Setting<string, Variable> {
  return {
    ...description,
    unit: 'model id',
    range: `1 to ${MAX_MODEL_ID_LENGTH} characters`,
    input: { kind: 'model', word: description.default },
    schema: modelIdSchema,
    textSchema: z.string().pipe(modelIdSchema),
    toText: String,
  };
}

const MAX_PAIRS = 200;

/** One value for each of some models or tools; the environment writes `key=value, key=value`. */
function byName<Variable extends string, Value extends number | string>(
  description: Description<Variable> & Pick<Setting<unknown>, 'unit' | 'range' | 'input'>,
  of: 'model' | 'tool',
  value: z.ZodType<Value>,
  error: string,
  example: string,
): Setting<Readonly<Record<string, Value>>, Variable> {
  const key = of === 'model' ? modelIdSchema : z.string().regex(/^[\w-]{1,100}$/, error);
  const schema = z
    .record(key, value, error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} ${of}s`);
  const pattern = /^[^,=]+=\s*\w+\s*(,[^,=]+=\s*\w+\s*)*$/;
  const text = z.string().regex(pattern, `must look like ${of}=${example}, ${of}=${example}`);
  return {
    ...description,
    default: {},
    schema,
    textSchema: text.transform((written): unknown => readPairs(written)).pipe(schema),
    toText: (pairs) =>
      Object.entries(pairs)
        .map(([name, each]) => `${name}=${each}`)
        .join(', '),
  };
}

/** Whole numbers are read as such; what else is written is for the schema to judge. */
function readPairs(text: string): Record<string, number | string> {
  const pairs = text.split(',').map((pair) => {
    const [key = '', value = ''] = pair.split('=').map((part) => part.trim());
    return [key, /^\d{1,15}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(pairs);
}

/** A whole number, tokens or characters, for each of some models or tools. */
export function numbersByName<const Variable extends string>({
  of,
  unit,
  min,
  max,
  ...rest
}: Description<Variable> & Omit<Extract<SettingInput, { kind: 'numbers' }>, 'kind'> & { readonly unit: string }) {
  const by = of === 'model' ? 'model id' : 'tool name';
  const error = `must be whole numbers of ${unit} from ${spelled(min)} to ${spelled(max)} by ${by}`;
  const value = z.int(error).min(min, error).max(max, error);
  const range = `${spelled(min)} to ${spelled(max)} each`;
  const input = { kind: 'numbers', of, min, max } as const;
  return byName({ ...rest, unit: `${unit} by ${by}`, range, input }, of, value, error, unit);
}

/** One of a few names for each of some tools. */
export function choiceByTool<const Variable extends string, const Name extends string>({
  names,
  ...rest
}: Description<Variable> & { readonly names: readonly Name[] }) {
  const error = `must be one of ${names.join(', ')} by tool name`;
  const value = z.enum(names, error) as unknown as z.ZodType<Name>;
  const input = { kind: 'choices', names } as const;
  return byName(
    { ...rest, unit: 'by tool name', range: `${names.join(', ')} each`, input },
    'tool',
    value,
    error,
    'ask',
  );
}
