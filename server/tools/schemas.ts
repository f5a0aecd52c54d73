import { z } from 'zod';
import type { ContentBackend } from '#server/content/content-backend';
import { type Entry, entryTypes } from '#server/core/content';
import { ToolError } from '#server/core/errors';
import { problemOf } from '#server/core/input-problems';
import { isJsonObject, type JsonObject, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Tool } from '#server/tools/tool';

/**
 * Input fields that several tools share, and what is wrong with an input. The fields are sent to the model with every
 * request, so each is described in as few words as it takes.
 */

/** A page or a post. */
export const entryTypeInput = z.enum(entryTypes);

/** A name that a model copies from a result: its limit is checked, and not told with every request (`isName`). */
export const nameInput = (most: number) => z.string().min(1).max(most).meta({ isName: true });

/** Reference to one entry; see `resolveEntry`. */
export const refInput = nameInput(300);

/** Title of an entry. */
export const titleInput = z.string().min(1).max(200);

/** Tags of an entry or a picture. */
export const tagsInput = z.array(z.string().max(40)).max(20).optional();

/** Most references of one call. */
export const MAX_REFS = 20;

/**
 * The fields of a section. Checked to be JSON here and against the section's type by the content backend; the
 * schema that the model sees stays a bare object.
 */
export const fieldsInput = z.record(z.string(), z.unknown().pipe(jsonValueSchema));

/** A section's id, as get_content gives it. */
export const sectionIdInput = nameInput(100).describe('sec_...');

/** Position of a section, counted from 1. */
export const positionInput = z.int().min(1).max(1000).meta({ isName: true }).describe('from 1');

/** Id, slug or path of the page above. */
export const parentInput = z.string().max(300).meta({ isName: true }).optional();

const seoSchema = z.strictObject({
  title: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  image: z.string().optional(),
  noIndex: z.boolean().optional(),
});

/** Title, description and image for search engines; told to the model in a line, which takes a third of the room. */
export const seoInput = z
  .unknown()
  .pipe(seoSchema)
  .meta({ type: 'object', description: 'title (200), description (500), image, noIndex' })
  .optional();

/** Values by name; the content backend checks them. */
export const namedInput = z.record(z.string(), z.unknown().pipe(jsonValueSchema)).optional();

/** Tells whether a reference is a section's id. */
export function isSectionId(ref: string): boolean {
  return /^sec_[a-z0-9]+$/.test(ref.trim());
}

/** Finds an entry as `resolveEntry` does, and by the id of one of its sections. */
export function findByRef(content: ContentBackend, ref: string): Promise<Entry> {
  return isSectionId(ref) ? content.getBySection(ref.trim()) : resolveEntry(content, ref);
}

/**
 * The entry that `ref` (an id, a slug, a path or a title) names.
 *
 * Throws NotFoundError where there is none, and ToolError where it is a title that several entries carry: guessing
 * would change the wrong page.
 */
export async function resolveEntry(content: ContentBackend, ref: string): Promise<Entry> {
  const name = ref.trim();
  const entry = await content.get(name);
  if (name === entry.id || name === entry.draft.slug || name.startsWith('/')) return entry;
  const title = entry.draft.title.toLowerCase();
  const hits = await content.search({ text: entry.draft.title, limit: 20 });
  const namesakes = new Map(hits.filter((hit) => hit.title.toLowerCase() === title).map((hit) => [hit.id, hit]));
  if (namesakes.size < 2) return entry;
  const list = [...namesakes.values()].map((hit) => `${hit.type} ${hit.id} (slug ${hit.slug})`).join(', ');
  throw new ToolError(`"${ref}" fits several: ${list}. Use an id.`);
}

/** Wrong fields that are named; who mends these sees the others the next time. */
const MAX_NAMED = 4;
/** Characters of a name or value that the model made up. */
const MAX_QUOTED = 60;

const figures = new Intl.NumberFormat('en-US');

/** A name or number as text. Null would become a word. */
export const writtenInput = (max: number) =>
  z.coerce
    .string()
    .min(1)
    .max(max)
    .refine((text) => text !== 'null', 'is null')
    .meta({ isName: true })
    .optional();

/**
 * A call's input as its model means it: with what is written in another form than its field takes, and without fields
 * that are filled in with nothing. What is wrong beside that is left for `inputProblem`.
 */
export function inputAsMeant(
  { name, input: schema, writes = false }: Pick<Tool, 'name' | 'input' | 'writes'>,
  value: JsonValue,
): JsonValue {
  if (!isJsonObject(value) || schema.safeParse(value).success) return value;
  const isNew = /^(?:create|add)_/.test(name);
  return withoutBlanks(inItsForm(value, schema, isNew), schema, { isNew, writes });
}

/** With numbers, truth values, lists and objects that were written as text read from it, and one item made a list. */
function inItsForm(value: JsonObject, schema: z.ZodType, isNew: boolean): JsonObject {
  const forms = schema.safeParse(value).error?.issues ?? [];
  const read = forms.flatMap((issue) => {
    const [field, ...deeper] = issue.path;
    if (issue.code !== 'invalid_type' || typeof field !== 'string' || deeper.length > 0) return [];
    const form = inForm(issue.expected, value[field], isNew);
    return form === undefined ? [] : [[field, form] as const];
  });
  return read.length === 0 ? value : { ...value, ...Object.fromEntries(read) };
}

/**
 * Undefined where it is nothing that could be meant, or more than one thing: a text with commas may be several, and one
 * object for a list would take the place of all that is there.
 */
function inForm(expected: string, value: JsonValue | undefined, isNew: boolean): JsonValue | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const written = typeof value === 'string' ? parsedJson(value) : undefined;
  if (expected === 'array') {
    if (Array.isArray(written)) return written;
    const isOne = typeof value === 'string' ? !/[,;\n]/.test(value) : isNew;
    return isOne ? [value] : undefined;
  }
  if (expected === 'record' || expected === 'object') return isJsonObject(written) ? written : undefined;
  const type = expected === 'int' ? 'number' : expected;
  return (type === 'number' || type === 'boolean') && typeof written === type ? written : undefined;
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Without fields of the tool that the model has filled in with nothing, where the tool refuses that: some models fill in
 * every field that they are offered. In a tool that changes something, a null stays where "" or an empty list would
 * clear a value, as it may be meant so; and an empty list stays, as all would be changed without it.
 */
function withoutBlanks(
  value: JsonObject,
  schema: z.ZodType,
  { isNew, writes }: { readonly isNew: boolean; readonly writes: boolean },
): JsonObject {
  const refusedIn = (input: JsonObject) => new Set(schema.safeParse(input).error?.issues.map(({ path }) => path[0]));
  const refused = refusedIn(value);
  // What is made new has nothing to clear.
  const mayClear = writes && !isNew;
  const isTaken = (field: string, empty: JsonValue) => !refusedIn({ ...value, [field]: empty }).has(field);
  const isLeftOut = (field: string, filling: JsonValue | undefined): boolean => {
    if (filling === null) return !mayClear || (!isTaken(field, '') && !isTaken(field, []));
    return filling === '' || (!writes && Array.isArray(filling) && filling.length === 0);
  };
  return Object.fromEntries(
    Object.entries(value).filter(([field, filling]) => !refused.has(field) || !isLeftOut(field, filling)),
  );
}

/** A call's input without the fields that its tool does not take; as it is where something else is wrong with it. */
export function withoutUnknown({ input: schema }: Pick<Tool, 'input'>, value: JsonValue): JsonValue {
  const issues = schema.safeParse(value).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [issue] : []));
  if (unknown.length === 0 || unknown.length < issues.length) return value;
  const known = structuredClone(value);
  for (const { path, keys } of unknown) {
    const holder = valueAt(known, path) as Record<string, JsonValue>;
    for (const key of keys) delete holder[key];
  }
  return known;
}

/** Says in one sentence what is wrong with a tool's input, with the limit that it breaks; null where nothing is. */
export function inputProblem({ input }: Pick<Tool, 'input'>, value: unknown): string | null {
  const parsed = input.safeParse(value);
  if (parsed.success) return null;
  const { issues } = parsed.error;
  const more = issues.length > MAX_NAMED ? `; and ${figures.format(issues.length - MAX_NAMED)} more` : '';
  return `Invalid input: ${issues
    .slice(0, MAX_NAMED)
    .map((issue) => issueText(issue, value, input))
    .join('; ')}${more}.`;
}

function issueText(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodType): string {
  const path = pathText(issue.path);
  const said = problemOf(issue, valueAt(input, issue.path)).replace(/\.$/, '');
  if (path !== '') return `${path} ${said}`;
  if (issue.code !== 'unrecognized_keys') return said;
  const known = schema instanceof z.ZodObject ? `, but ${Object.keys(schema.shape).join(', ')}` : '';
  return `it ${said}${known}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    input,
  );
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key).slice(0, MAX_QUOTED);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
