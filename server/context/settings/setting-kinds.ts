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
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** Largest number of tokens or characters that any setting accepts. */
export const MANY = 100_000_000;

const spelled = (value: number) => value.toLocaleString('en-US');

/** A number without a fraction: tokens, characters, turns. */
export function wholeNumber<const Variable extends string>(
  description: NumberDescription<Variable>,
): Setting<number, Variable> {
  const { min, max } = description;
  const range = `${spelled(min)} to ${spelled(max)}`;
  const error = `must be a whole number from ${range}`;
  const schema = z.int(error).min(min, error).max(max, error);
  return {
    ...description,
    range,
    input: { kind: 'number', min, max, whole: true },
    schema,
    textSchema: z
      .string()
      .regex(/^\d{1,15}$/, error)
      .transform(Number)
      .pipe(schema),
    toText: String,
  };
}

/** A number that may have a fraction: a share, a temperature. */
export function fraction<const Variable extends string>(
  description: NumberDescription<Variable>,
): Setting<number, Variable> {
  const { min, max } = description;
  const error = `must be a number from ${min} to ${max}`;
  const schema = z.number(error).min(min, error).max(max, error);
  return {
    ...description,
    range: `${min} to ${max}`,
    input: { kind: 'number', min, max, whole: false },
    schema,
    textSchema: z
      .string()
      .regex(/^\d{1,3}(\.\d{1,9})?$/, error)
      .transform(Number)
      .pipe(schema),
    toText: String,
  };
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

/** A number of tokens for each of some models; the environment writes `model=tokens, model=tokens`. */
export function tokensByModel<const Variable extends string>(
  description: Description<Variable> & { readonly min: number; readonly max: number },
): Setting<Readonly<Record<string, number>>, Variable> {
  const { min, max, ...rest } = description;
  const range = `${spelled(min)} to ${spelled(max)} each`;
  const error = `must be whole numbers of tokens from ${spelled(min)} to ${spelled(max)} by model id`;
  const schema = z
    .record(modelIdSchema, z.int(error).min(min, error).max(max, error), error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} models`);
  return {
    ...rest,
    unit: 'tokens by model id',
    range,
    input: { kind: 'numbers', of: 'model', min, max },
    default: {},
    schema,
    textSchema: z
      .string()
      .regex(/^[^,=]+=\s*\d{1,15}\s*(,[^,=]+=\s*\d{1,15}\s*)*$/, 'must look like model=tokens, model=tokens')
      .transform(readPairs)
      .pipe(schema),
    toText: writePairs,
  };
}

const toolName = /^[\w-]{1,100}$/;

/** A number of characters for each of some tools; the environment writes `tool=characters, tool=characters`. */
export function charsByTool<const Variable extends string>(
  description: Description<Variable> & { readonly min: number; readonly max: number },
): Setting<Readonly<Record<string, number>>, Variable> {
  const { min, max, ...rest } = description;
  const range = `${spelled(min)} to ${spelled(max)} each`;
  const error = `must be whole numbers of characters from ${spelled(min)} to ${spelled(max)} by tool name`;
  const schema = z
    .record(z.string().regex(toolName, error), z.int(error).min(min, error).max(max, error), error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} tools`);
  return {
    ...rest,
    unit: 'characters by tool name',
    range,
    input: { kind: 'numbers', of: 'tool', min, max },
    default: {},
    schema,
    textSchema: z
      .string()
      .regex(
        /^[\w-]+\s*=\s*\d{1,15}\s*(,\s*[\w-]+\s*=\s*\d{1,15}\s*)*$/,
        'must look like tool=characters, tool=characters',
      )
      .transform(readPairs)
      .pipe(schema),
    toText: writePairs,
  };
}

/** One of a few names for each of some tools; the environment writes `tool=name, tool=name`. */
export function choiceByTool<const Variable extends string, const Name extends string>(
  description: Description<Variable> & { readonly names: readonly Name[] },
): Setting<Readonly<Record<string, Name>>, Variable> {
  const { names, ...rest } = description;
  const range = `${names.join(', ')} each`;
  const error = `must be one of ${names.join(', ')} by tool name`;
  const schema = z
    .record(z.string().regex(toolName, error), z.enum(names, error), error)
    .refine((pairs) => Object.keys(pairs).length <= MAX_PAIRS, `must name at most ${MAX_PAIRS} tools`);
  return {
    ...rest,
    unit: 'by tool name',
    range,
    input: { kind: 'choices', names },
    default: {},
    schema,
    textSchema: z
      .string()
      .regex(/^[\w-]+\s*=\s*\w+\s*(,\s*[\w-]+\s*=\s*\w+\s*)*$/, 'must look like tool=ask, tool=off')
      .transform((text) => Object.fromEntries(splitPairs(text)) as Record<string, Name>)
      .pipe(schema),
    toText: writePairs,
  };
}

function readPairs(text: string): Record<string, number> {
  return Object.fromEntries(splitPairs(text).map(([id, tokens]) => [id, Number(tokens)]));
}

function writePairs(pairs: Readonly<Record<string, number | string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

function splitPairs(text: string): [string, string][] {
  return text.split(',').map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return [key.trim(), value.trim()];
  });
}
