/*
 * Tool servers send schemas of several drafts of JSON Schema, and faulty ones. Providers compare them with 2020-12 and refuse
 * the whole request for one that is invalid.
 */

type Schema = Readonly<Record<string, unknown>>;

/** Maximum depth of a schema that is passed to models. */
const MAX_DEPTH = 30;

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

/** Keywords with plain values, and which values are valid. */
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...named(['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'], isCount),
  ...named(['maxContains', 'minContains'], isCount),
  ...named(['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'], isNumber),
  ...named(['title', 'description', 'format', '$comment', 'contentEncoding', 'contentMediaType'], isText),
  ...named(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], isFlag),
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  enum: (value) => Array.isArray(value) && value.length > 0,
  examples: Array.isArray,
  required: isTexts,
  pattern: isPattern,
  $ref: (value) => isText(value) && value.startsWith('#'),
};
/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const SINGLE = new Set(['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'then'])
  .add('propertyNames')
  .add('unevaluatedItems')
  .add('unevaluatedProperties');
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords of older drafts that mean something else now, or that refer to other documents. */
const REMOVED = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$vocabulary',
])
  .add('additionalItems')
  .add('dependencies')
  .add('dependentRequired');

/** Makes a schema valid in JSON Schema 2020-12: translates what older drafts meant, and removes what is invalid. */
export function mendSchema(schema: unknown, depth = 0): Record<string, unknown> {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const mended: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(translated(schema))) {
    const result = mendKeyword(keyword, value, depth);
    if (result !== undefined) mended[keyword] = result;
  }
  // In draft 3 a property says itself that it is required.
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const marked = properties.flatMap(([name, each]) => (isObject(each) && each['required'] === true ? [name] : []));
  const required = new Set([...((mended['required'] as string[] | undefined) ?? []), ...marked]);
  return { ...mended, ...(required.size > 0 && { required: [...required] }) };
}

/** Undefined: the keyword is left out. */
function mendKeyword(keyword: string, value: unknown, depth: number): unknown {
  const inner = (each: unknown) => (isFlag(each) ? each : mendSchema(each, depth + 1));
  const isSchema = (each: unknown) => isFlag(each) || isObject(each);
  if (REMOVED.has(keyword)) return undefined;
  if (keyword === 'type') return mendType(value);
  if (SINGLE.has(keyword)) return isSchema(value) ? inner(value) : undefined;
  if (LISTS.has(keyword)) {
    const schemas = Array.isArray(value) ? value.filter(isSchema) : [];
    return schemas.length > 0 ? schemas.map(inner) : undefined;
  }
  if (MAPS.has(keyword)) {
    if (!isObject(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  }
  const isValid = Object.hasOwn(PLAIN, keyword) ? PLAIN[keyword] : undefined;
  return isValid === undefined || isValid(value) ? value : undefined;
}

/** The keywords of older drafts in the words of 2020-12. */
function translated(schema: Schema): Schema {
  const { items, additionalItems, ...rest } = schema;
  const result: Record<string, unknown> = { ...rest, ...(items !== undefined && { items }) };
  if (Array.isArray(items)) {
    result['prefixItems'] = items;
    result['items'] = additionalItems;
  }
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (result[exclusive] !== true) continue;
    result[exclusive] = result[limit];
    delete result[limit];
  }
  return result;
}

function mendType(value: unknown): unknown {
  if (isText(value)) return TYPES.has(value) ? value : undefined;
  const known = Array.isArray(value) ? [...new Set(value.filter((each) => TYPES.has(each as string)))] : [];
  return known.length > 0 ? known : undefined;
}

function isPattern(value: unknown): boolean {
  try {
    return isText(value) && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function named(names: readonly string[], isValid: (value: unknown) => boolean) {
  return Object.fromEntries(names.map((name) => [name, isValid]));
}
