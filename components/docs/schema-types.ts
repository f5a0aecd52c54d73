import type { ApiSchema } from '#server/core/api-document';

/** The schema name in a `$ref`. */
function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Short name of a type: `integer`, `"draft" | "published"`, `list of Session`. */
export function typeName(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.nullable && !schema.enum) return `${typeName({ ...schema, nullable: false })} | null`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return [...new Set(members.map(typeName))].join(' | ');
  if (schema.allOf) return schema.allOf.map(typeName).join(' & ');
  if (schema.type === 'array') return schema.items ? `list of ${typeName(schema.items)}` : 'list';
  if (schema.type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object') {
    return `object of ${typeName(schema.additionalProperties)}`;
  }
  return schema.type ?? 'any';
}

/** Size limits of a value: `1 to 200 characters`; empty if it has none. */
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
  // Omits the obvious limit that an id or a count is not negative.
  return from === undefined || (from <= 1 && unit !== '') || from === 0 ? '' : `at least ${number(from)}${words}`;
}

/**
 * The objects whose fields are listed below a schema: the schema itself, its items or its variants; [] for a named
 * schema, which is described elsewhere.
 */
export function shapesOf(schema: ApiSchema): readonly ApiSchema[] {
  if (schema.$ref !== undefined) return [];
  if (schema.type === 'array') return schema.items ? shapesOf(schema.items) : [];
  if (schema.properties) return [schema];
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return members.flatMap(shapesOf);
  if (typeof schema.additionalProperties === 'object') return shapesOf(schema.additionalProperties);
  return [];
}

/** Names of the schemas that a schema refers to, outside of its fields. */
export function namesIn(schema: ApiSchema): readonly string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  const inner = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [...new Set(inner.flatMap(namesIn))];
}
