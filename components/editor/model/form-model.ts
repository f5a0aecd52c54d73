// oxlint-disable-next-line no-restricted-imports -- Fetched with the first form: it checks as the server does.
import { z } from 'zod';
import { localizedText } from '#components/message-text.ts';
import { defaultProblem, problemText } from '#server/core/text/input-problems';
import type { FieldPlace } from '#components/editor/model/places.ts';
import type { EntryDocument, SectionType } from '#server/core/site/content';
// oxlint-disable-next-line no-restricted-imports -- As above.
import { documentFieldSchemas } from '#server/core/site/document-fields';
import type { JsonObject, JsonValue } from '#server/core/json';
// oxlint-disable-next-line no-restricted-imports -- As above.
import { textKinds, unwrapped } from '#server/core/text/safe-text';
// oxlint-disable-next-line no-restricted-imports -- As above.
import { sectionDefinitions } from '#sections/fields';

/** Form controls by kind of value. `texts`: a list of short texts; `list`: a list of items with fields. */
export const controlKinds = [
  'line',
  'prose',
  'markdown',
  'html',
  'link',
  'image',
  'number',
  'switch',
  'choice',
  'texts',
  'list',
  'group',
] as const;
/** Kind of the control that edits a value. */
export type ControlKind = (typeof controlKinds)[number];

/** Result of validating a value like the server. */
export interface Checked {
  /** The value that would be stored; undefined if it has problems. */
  readonly value: JsonValue | undefined;
  /** Ends of sentences, with their path in the value: `must not be empty`. */
  readonly problems: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

/** One form field, derived from its schema. */
export interface FormField {
  readonly name: string;
  readonly kind: ControlKind;
  /** True for an optional field; an empty control then means that it is left out. */
  readonly isOptional: boolean;
  /** Smallest number; null: no limit. */
  readonly min: number | null;
  /** Most characters or items, or the largest number; null: no limit. */
  readonly max: number | null;
  /** Values to choose from. */
  readonly choices: readonly string[];
  /** Fields of a group, or of each item of a list. */
  readonly fields: readonly FormField[];
  /** Value of a new item. */
  readonly blank: JsonValue;
  readonly check: (value: JsonValue) => Checked;
}

/** Fields of a schema in its order, each with its control. */
function formOf(schema: z.ZodObject): readonly FormField[] {
  return Object.entries(schema.shape).map(([name, field]) => fieldOf(name, field));
}

const sectionForms = new Map<SectionType, readonly FormField[]>();

/** The form of a kind of section. */
export function sectionForm(type: SectionType): readonly FormField[] {
  const form = sectionForms.get(type) ?? formOf(sectionDefinitions[type].fields);
  sectionForms.set(type, form);
  return form;
}

/** The form fields of a page or post outside its sections, by name. */
export const documentForm = Object.fromEntries(
  Object.entries(documentFieldSchemas).map(([name, schema]) => [
    name,
    fieldOf(name, name === 'title' || name === 'slug' ? schema : schema.optional()),
  ]),
) as Readonly<Record<keyof typeof documentFieldSchemas, FormField>>;

/** The form field at a place of a page: `items.2.question` is the question of an item. */
export function fieldAt(document: EntryDocument, { sectionId, field }: FieldPlace): FormField | undefined {
  const [first = '', ...steps] = field.split('.').filter((step) => !/^\d+$/.test(step));
  const section = document.sections.find(({ id }) => id === sectionId);
  const form = section === undefined ? Object.values(documentForm) : sectionForm(section.type);
  const named = (fields: readonly FormField[], name: string) => fields.find((each) => each.name === name);
  return steps.reduce((found, step) => found && named(found.fields, step), named(form, first));
}

function fieldOf(name: string, schema: z.core.$ZodType): FormField {
  const isOptional = schema instanceof z.ZodOptional;
  const inner = valueSchema(schema);
  const fields = fieldsOf(inner);
  const kind = kindOf(inner);
  return {
    name,
    kind,
    isOptional,
    ...boundsOf(inner),
    choices: inner instanceof z.ZodEnum ? inner.options.map(String) : [],
    fields,
    blank: blankOf(inner, kind, fields),
    check: (value) => check(isOptional ? z.optional(schema) : schema, value),
  };
}

/** The schema of a present value; of a union the last one, because the others mean "none". */
function valueSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = unwrapped(schema);
  const last = inner instanceof z.ZodUnion ? inner.options.at(-1) : undefined;
  return last === undefined ? inner : valueSchema(last);
}

function fieldsOf(schema: z.core.$ZodType): readonly FormField[] {
  const shape = schema instanceof z.ZodArray ? valueSchema(schema.element) : schema;
  return shape instanceof z.ZodObject ? formOf(shape) : [];
}

function kindOf(schema: z.core.$ZodType): ControlKind {
  const text = textKinds.get(schema)?.kind;
  if (text !== undefined) return text;
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'switch';
  if (schema instanceof z.ZodEnum) return 'choice';
  if (schema instanceof z.ZodObject) return 'group';
  if (schema instanceof z.ZodArray) return valueSchema(schema.element) instanceof z.ZodObject ? 'list' : 'texts';
  return z.safeParse(schema, 'two\nlines').success ? 'prose' : 'line';
}

function boundsOf(schema: z.core.$ZodType): Pick<FormField, 'min' | 'max'> {
  if (schema instanceof z.ZodNumber) return { min: schema.minValue, max: schema.maxValue };
  if (schema instanceof z.ZodString) return { min: null, max: schema.maxLength };
  const limits = (schema._zod.def.checks ?? []).map(({ _zod }) => _zod.def);
  const most = limits.find((limit): limit is z.core.$ZodCheckMaxLengthDef => limit.check === 'max_length');
  return { min: null, max: most?.maximum ?? null };
}

function blankOf(schema: z.core.$ZodType, kind: ControlKind, fields: readonly FormField[]): JsonValue {
  if (kind === 'list' || kind === 'texts') return [];
  if (kind === 'group') return blankItem(fields);
  if (kind === 'switch') return false;
  if (schema instanceof z.ZodNumber) return schema.minValue ?? 0;
  return schema instanceof z.ZodEnum ? (schema.options[0] ?? '') : '';
}

/** A new list item with its required fields, empty. */
export function blankItem(fields: readonly FormField[]): JsonObject {
  return Object.fromEntries(fields.filter(({ isOptional }) => !isOptional).map(({ name, blank }) => [name, blank]));
}

function check(schema: z.core.$ZodType, value: JsonValue): Checked {
  const parsed = z.safeParse(schema, value, { error: defaultProblem });
  if (parsed.success) return { value: parsed.data as JsonValue, problems: [] };
  const problems = parsed.error.issues.map((issue) => {
    const problem = problemText(issue);
    return { path: issue.path, message: localizedText(problem, problem.text) };
  });
  return { value: undefined, problems };
}

/** Validates all fields of an item. */
export function checkItem(fields: readonly FormField[], item: JsonObject): Checked {
  const problems: Checked['problems'][number][] = [];
  const values: JsonObject = {};
  for (const field of fields) {
    const given = item[field.name];
    if (given === undefined && field.isOptional) continue;
    const checked = field.check(given ?? null);
    problems.push(...checked.problems.map(({ path, message }) => ({ path: [field.name, ...path], message })));
    if (checked.value !== undefined) values[field.name] = checked.value;
  }
  return { value: problems.length === 0 ? values : undefined, problems };
}
