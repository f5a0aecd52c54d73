import type { ApiSchema } from '#server/core/api-document';

/** The name that a `$ref` leads to. */
function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Null and what else it may be, apart. */
function alternatives(schema: ApiSchema): {
  readonly others: readonly ApiSchema[];
  readonly isNullable: boolean;
} {
  const all = schema.anyOf ?? schema.oneOf ?? [schema];
  const others = all.filter(({ type }) => type !== 'null');
  return { others, isNullable: others.length < all.length };
}

/** What a value is, in the fewest words: `integer`, `"draft" | "published"`, `list of Session`. */
export function typeName(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf ?? schema.oneOf) {
    const { others, isNullable } = alternatives(schema);
    const names = [...new Set(others.map(typeName))];
    return [...names, ...(isNullable ? ['null'] : [])].join(' | ');
  }
  if (schema.allOf) return schema.allOf.map(typeName).join(' & ');
  if (schema.type === 'array') return schema.items ? `list of ${typeName(schema.items)}` : 'list';
  if (schema.type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object') {
    return `object of ${typeName(schema.additionalProperties)}`;
  }
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** What its size may be: `1 to 200 characters`; empty where nothing limits it. */
export function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: ApiSchema): string {
  return [range(minimum, maximum, ''), range(minLength, maxLength, 'characters'), range(minItems, maxItems, 'items')]
    .filter((text) => text !== '')
    .join(', ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString('en-US');
  const words = unit === '' ? '' : ` ${unit}`;
  if (to !== undefined)
    return from === undefined || from === 0
      ? `at most ${number(to)}${words}`
      : `${number(from)} to ${number(to)}${words}`;
  // That an id or a count is not negative goes without saying.
  return from === undefined || (from <= 1 && unit !== '') || from === 0 ? '' : `at least ${number(from)}${words}`;
}

/** What a schema shows of itself below its line: its fields, or the different shapes it may have; [] where it has a name. */
export function shapesOf(schema: ApiSchema): readonly ApiSchema[] {
  if (schema.$ref !== undefined) return [];
  if (schema.type === 'array') return schema.items ? shapesOf(schema.items) : [];
  if (schema.properties) return [schema];
  if (schema.anyOf ?? schema.oneOf) return alternatives(schema).others.flatMap(shapesOf);
  if (typeof schema.additionalProperties === 'object') return shapesOf(schema.additionalProperties);
  return [];
}

/** The names that its own line mentions. */
export function namesIn(schema: ApiSchema): readonly string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [...new Set(inner.flatMap(namesIn))];
}
