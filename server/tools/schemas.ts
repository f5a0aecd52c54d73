import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import type { ContentBackend } from '#server/site/content-backend';
import { type Entry, entryTypes, sectionTypes } from '#server/core/site/content';
import { ToolError } from '#server/core/errors';
import { problemOf } from '#server/core/text/input-problems';
import { isJsonObject, type JsonObject, type JsonValue, jsonValueSchema } from '#server/core/json';
import type { Tool } from '#server/tools/tool';

/**
 * Input fields that several tools share, and the description of invalid input. The fields are sent to the model with
 * every request, so their descriptions are as short as possible.
 */

/** A page or a post. */
export const entryTypeInput = z.enum(entryTypes);

/** A name that a model copies from a result: its limit is checked but not sent with every request (`isName`). */
export const nameInput = (most: number) => z.string().min(1).max(most).meta({ isName: true });

/** Type of a section. `add_section` lists the types; each further list would cost tokens in every request. */
export const sectionTypeInput = z.enum(sectionTypes).meta({ isName: true });

/** Reference to one entry; see `resolveEntry`. */
export const refInput = nameInput(300);

/** Title of an entry. */
export const titleInput = z.string().min(1).max(200);

/** Tags of an entry or a picture. */
export const tagsInput = z.array(z.string().max(40)).max(20).optional();

/** Largest number of references in one call. */
export const MAX_REFS = 20;

/** Largest number of fields in a section, or of groups in an entry. */
const MAX_FIELDS = 200;

/**
 * The fields of a section. Checked here to be JSON, and against the section's type by the content backend; the schema
 * that the model sees is a bare object.
 */
export const fieldsInput = boundedRecord(z.string(), z.unknown().pipe(jsonValueSchema), MAX_FIELDS);

/** A section's id, as returned by get_content. */
export const sectionIdInput = nameInput(100).describe('sec_...');

/** Position of a section, counted from 1. */
export const positionInput = z.int().min(1).max(1000).meta({ isName: true }).describe('from 1');

/** Id, slug or path of the parent page. */
export const parentInput = z.string().max(300).meta({ isName: true }).optional();

const seoSchema = z.strictObject({
  title: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  image: z.string().optional(),
  noIndex: z.boolean().optional(),
});

/**
 * Title, description and image for search engines; described to the model in one line, which takes a third of the
 * tokens.
 */
export const seoInput = z
  .unknown()
  .pipe(seoSchema)
  .meta({ type: 'object', description: 'title (200), description (500), image, noIndex' })
  .optional();

/** Values by name; the content backend checks them. */
export const namedInput = boundedRecord(z.string(), z.unknown().pipe(jsonValueSchema), MAX_FIELDS).optional();

/** True if a reference is a section's id. */
export function isSectionId(ref: string): boolean {
  return /^sec_[a-z0-9]+$/.test(ref.trim());
}

/** Finds an entry like `resolveEntry`, and also by the id of one of its sections. */
export function findByRef(content: ContentBackend, ref: string): Promise<Entry> {
  return isSectionId(ref) ? content.getBySection(ref.trim()) : resolveEntry(content, ref);
}

/**
 * The entry that `ref` (an id, a slug, a path or a title) names.
 *
 * Throws NotFoundError if no entry matches, and ToolError if several entries have this title, because guessing would
 * change the wrong page.
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

/** Largest number of wrong fields that are named; the caller sees the others after fixing these. */
const MAX_NAMED = 4;
/** Longest quotation of a name or value from the model, in characters. */
const MAX_QUOTED = 60;

const figures = new Intl.NumberFormat('en-US');

/** A name or number as text. Null is refused, because it would become the text "null". */
export const writtenInput = (max: number) =>
  z.coerce
    .string()
    .min(1)
    .max(max)
    .refine((text) => text !== 'null', 'is null')
    .meta({ isName: true })
    .optional();

/**
 * A call's input as the model means it: values in a wrong form are converted, and fields with empty values are removed.
 * `inputProblem` reports the remaining problems.
 */
export function correctToolInput(
  { name, input: schema, writes = false }: Pick<Tool, 'name' | 'input' | 'writes'>,
  value: JsonValue,
): JsonValue {
  if (!isJsonObject(value) || schema.safeParse(value).success) return value;
  const isNew = /^(?:create|add)_/.test(name);
  return withoutBlanks(inItsForm(value, schema, isNew), schema, { isNew, writes });
}

/** Converts numbers, booleans, lists and objects that were written as text, and wraps a single item in a list. */
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
 * Undefined if the value has no clear meaning: a text with commas may be several items, and one object for a list would
 * replace the whole list.
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
 * Removes fields that the model has filled with an empty value that the tool refuses: some models fill in every field
 * that they are offered. In a tool that changes something, null is kept if "" or an empty list would clear a value,
 * because clearing may be intended; an empty list is kept, too, because without it everything would be changed.
 */
function withoutBlanks(
  value: JsonObject,
  schema: z.ZodType,
  { isNew, writes }: { readonly isNew: boolean; readonly writes: boolean },
): JsonObject {
  const refusedIn = (input: JsonObject) => new Set(schema.safeParse(input).error?.issues.map(({ path }) => path[0]));
  const refused = refusedIn(value);
  // A new item has nothing to clear.
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

/** A call's input without the fields that its tool does not accept; unchanged if it has other problems. */
export function withoutUnknown({ input: schema }: Tool, value: JsonValue): JsonValue {
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

/**
 * Describes in one sentence what is wrong with a tool's input, including the limit that it exceeds; null if it is
 * valid.
 */
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
