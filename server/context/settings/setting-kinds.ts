import { z } from 'zod';
import { parseOrigins } from '#server/core/addresses';
import type { SettingInput } from '#server/core/settings-report';

/** One setting of the engine: what it may be, how the environment spells it, and what a person reads about it. */
export interface Setting<T> {
  readonly variable: string;
  readonly unit: string;
  readonly range: string;
  readonly meaning: string;
  readonly input: SettingInput;
  readonly default: T;
  readonly schema: z.ZodType<T>;
  readonly textSchema: z.ZodType<T, string>;
  /** Writes it as the environment's text; empty where nothing is set. */
  toText(this: void, value: T): string;
}

type Facts<T> = Pick<Setting<T>, 'variable' | 'default'>;

interface NumberFacts extends Facts<number> {
  readonly unit: string;
  readonly range: readonly [min: number, max: number];
}

/** Largest number of tokens or characters that any setting accepts. */
export const MANY = 100_000_000;

const spelled = (value: number) => value.toLocaleString('en-US');

const numeric =
  (whole: boolean) =>
  ({ range: [min, max], ...facts }: NumberFacts, meaning: string): Setting<number> => {
    const range = `${spelled(min)} to ${spelled(max)}`;
    const error = `must be a ${whole ? 'whole ' : ''}number from ${range}`;
    const schema = (whole ? z.int(error) : z.number(error)).min(min, error).max(max, error);
    const text = z.string().regex(whole ? /^\d{1,15}$/ : /^\d{1,9}(\.\d{1,9})?$/, error);
    const input = { kind: 'number', min, max, whole } as const;
    return { ...facts, meaning, range, input, schema, textSchema: text.transform(Number).pipe(schema), toText: String };
  };

/** A number without a fraction: tokens, characters, turns. */
export const wholeNumber = numeric(true);
/** A number that may have a fraction: a share, a factor. */
export const fraction = numeric(false);

export function toggle(facts: Facts<boolean>, meaning: string): Setting<boolean> {
  const error = 'must be true or false';
  const schema = z.boolean(error);
  const textSchema = z.enum(['true', 'false'], error).transform((text) => text === 'true');
  const input = { kind: 'toggle' } as const;
  return { ...facts, meaning, unit: '', range: 'true, false', input, schema, textSchema, toText: String };
}

export function choice<const Name extends string>(
  { names, ...facts }: Facts<NoInfer<Name>> & { readonly names: readonly Name[] },
  meaning: string,
): Setting<Name> {
  const range = names.join(', ');
  const schema = z.enum(names, `must be one of: ${range}`);
  const input = { kind: 'choice', names } as const;
  return { ...facts, meaning, unit: '', range, input, schema, textSchema: z.string().pipe(schema), toText: String };
}

const MAX_MODEL_ID_LENGTH = 200;
const modelIdSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_MODEL_ID_LENGTH, `must be a model id of at most ${MAX_MODEL_ID_LENGTH} characters`)
  .regex(/^[^\p{C}\p{Z}]*$/u, 'must be a model id: no spaces and no control or invisible characters');

/** The id of a model, or the word that stands for one, which is its default. */
export function modelId(facts: Facts<string>, meaning: string): Setting<string> {
  const input = { kind: 'model', word: facts.default } as const;
  const range = `1 to ${MAX_MODEL_ID_LENGTH} characters`;
  const [schema, textSchema] = [modelIdSchema, z.string().pipe(modelIdSchema)];
  return { ...facts, meaning, unit: 'model id', range, input, schema, textSchema, toText: String };
}

const MAX_ORIGINS = 20;

/** Origins, separated by commas; none by default. */
export function origins(variable: string, meaning: string): Setting<string> {
  const error = `must be at most ${MAX_ORIGINS} origins like https://www.kiln.example, separated by commas`;
  const read = (text: string) => (text === '' ? [] : parseOrigins(text));
  const schema = z.string(error).refine((text) => (read(text)?.length ?? Infinity) <= MAX_ORIGINS, error);
  const facts = { variable, meaning, unit: 'origins', range: `up to ${MAX_ORIGINS}`, default: '' };
  return { ...facts, input: { kind: 'origins' }, schema, textSchema: z.string().pipe(schema), toText: String };
}

const MAX_PAIRS = 200;

/** One value for each of some models or tools; the environment writes `key=value, key=value`. */
function byName<Value extends number | string>(
  facts: Pick<Setting<unknown>, 'variable' | 'unit' | 'range' | 'meaning' | 'input'>,
  of: 'model' | 'tool',
  value: z.ZodType<Value>,
  error: string,
  example: string,
): Setting<Readonly<Record<string, Value>>> {
  const key = of === 'model' ? modelIdSchema : z.string().regex(/^[\w-]{1,100}$/, error);
  const schema = z
    .record(key, value, error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} ${of}s`);
  const pattern = /^[^,=]+=\s*\w+\s*(,[^,=]+=\s*\w+\s*)*$/;
  const text = z.string().regex(pattern, `must look like ${of}=${example}, ${of}=${example}`);
  // Whole numbers are read as such; what else is written is for the schema to judge.
  const readPair = (pair: string): [string, unknown] => {
    const [name = '', written = ''] = pair.split('=').map((part) => part.trim());
    return [name, /^\d{1,15}$/.test(written) ? Number(written) : written];
  };
  const textSchema = text
    .transform((pairs): unknown => Object.fromEntries(pairs.split(',').map(readPair)))
    .pipe(schema);
  const toText = (pairs: Readonly<Record<string, Value>>) =>
    Object.entries(pairs)
      .map(([name, each]) => `${name}=${each}`)
      .join(', ');
  return { ...facts, default: {}, schema, textSchema, toText };
}

type NumbersFacts = Pick<NumberFacts, 'variable' | 'unit' | 'range'> & { readonly of: 'model' | 'tool' };

/** A whole number, tokens or characters, for each of some models or tools. */
export function numbersByName({ variable, of, unit, range: [min, max] }: NumbersFacts, meaning: string) {
  const by = of === 'model' ? 'model id' : 'tool name';
  const range = `${spelled(min)} to ${spelled(max)}`;
  const error = `must be whole numbers of ${unit} from ${range} by ${by}`;
  const value = z.int(error).min(min, error).max(max, error);
  const input = { kind: 'numbers', of, min, max } as const;
  return byName({ variable, unit: `${unit} by ${by}`, range: `${range} each`, meaning, input }, of, value, error, unit);
}

/** One of a few names for each of some tools. */
export function choiceByTool<const Name extends string>(
  { variable, names }: { readonly variable: string; readonly names: readonly Name[] },
  meaning: string,
) {
  const range = names.join(', ');
  const error = `must be one of ${range} by tool name`;
  const value = z.enum(names, error) as unknown as z.ZodType<Name>;
  const input = { kind: 'choices', names } as const;
  return byName(
    { variable, unit: 'by tool name', range: `${range} each`, meaning, input },
    'tool',
    value,
    error,
    'ask',
  );
}
