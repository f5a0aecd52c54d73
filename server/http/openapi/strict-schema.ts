import type { ApiSchema } from '#server/core/api-document';
import { isJsonObject, type JsonValue } from '#server/core/json';

/** A JSON Schema as zod writes it. */
export interface JsonSchema extends Omit<ApiSchema, 'type' | 'exclusiveMinimum' | Nested> {
  readonly type?: string | readonly string[];
  readonly const?: JsonValue;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly not?: JsonSchema;
  /** Name of the schema in the registry. */
  readonly id?: string;
}
type Nested = 'properties' | 'items' | 'anyOf' | 'oneOf' | 'additionalProperties';

/** Where the converted schemas go. */
interface Target {
  /** True for requests: an object that refuses unknown fields is marked as closed. Responses may get new fields. */
  readonly closesObjects: boolean;
  /** Reference to a schema with this name; null: any JSON value. */
  readonly refTo: (name: string) => string | null;
  /** The schema with this name, not converted. */
  readonly find: (name: string) => JsonSchema | undefined;
  /** Adds a named schema. */
  readonly add: (name: string, schema: ApiSchema) => void;
}

/** Largest number of a 32-bit integer. */
const MAX_INT32 = 2 ** 31 - 1;
/** Parts of regular expressions that RE2 (Go) and other engines than JavaScript's do not have. */
const UNPORTABLE_PATTERN = /\\[pP]\{|\(\?[=!<]|\\[xu]/;

/** A field that is always null: clients with strict types have no such type. */
const ALWAYS_NULL: ApiSchema = { type: 'string', nullable: true, description: 'Always null' };
const ANY: ApiSchema = { description: 'Any JSON value' };

/**
 * Converts JSON Schemas to OpenAPI 3.0, in the form that generators of strictly typed clients read: `nullable` in place
 * of a null type, one type per schema, integers with their size, unions of named objects with a discriminator, no union
 * directly inside another one.
 */
export class StrictSchemas {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Converts and adds a schema that has a name. */
  addNamed(name: string, schema: JsonSchema): void {
    if (name.startsWith('__')) throw new Error(`A schema that contains itself needs a name: ${JSON.stringify(schema)}`);
    this.#target.add(name, this.convert(schema, name));
  }

  /**
   * Converts a schema.
   * @param name of the schema; names of the parts that get their own schema begin with it. Empty: there must be none
   */
  convert(schema: JsonSchema, name: string): ApiSchema {
    const { $ref, id: _, ...rest } = schema;
    if ($ref !== undefined) return this.#reference($ref, rest);
    if (schema.id !== undefined) return this.convert(rest, name);
    if (schema.anyOf ?? schema.oneOf) return this.#union(schema, name);
    if (Array.isArray(schema.type)) return this.#union(splitByType(schema), name);
    if (schema.const !== undefined) return constant(schema);
    if (schema.properties ?? schema.type === 'object') return this.#object(schema, name);
    if (schema.type === 'array') {
      const { items = {}, ...array } = schema;
      return { ...plainPartsOf(array), items: this.#part(items, itemName(name)) };
    }
    return scalar(schema);
  }

  #reference($ref: string, { description, ...rest }: JsonSchema): ApiSchema {
    const ref = this.#target.refTo(nameOf($ref));
    const value = withoutNullDefault(rest).default;
    if (ref === null) return description === undefined ? ANY : { description };
    if (description === undefined && value === undefined) return { $ref: ref };
    return {
      allOf: [{ $ref: ref }],
      ...(description !== undefined && { description }),
      ...(value !== undefined && { default: value }),
    };
  }

  /** A part of another schema: an object gets a schema of its own. */
  #part(schema: JsonSchema, name: string): ApiSchema {
    const converted = this.convert(schema, name);
    if (!isNameable(converted)) return converted;
    if (name === '') throw new Error(`A schema needs a name: ${JSON.stringify(schema).slice(0, 300)}`);
    const { nullable, ...own } = converted;
    this.#target.add(name, own);
    return { $ref: (this.#target.refTo(name) ?? '') + (nullable ? NULLABLE : '') };
  }

  #object(schema: JsonSchema, name: string): ApiSchema {
    const { propertyNames: _, additionalProperties, properties: given, required = [], ...rest } = schema;
    const properties = given ?? fieldsOfRecord(schema);
    const fields = Object.entries(properties ?? {}).filter(([, field]) => !isNever(field));
    const others = properties && !given ? false : additionalProperties;
    return {
      ...plainPartsOf(rest),
      type: 'object',
      ...(fields.length > 0 && {
        properties: Object.fromEntries(
          fields.map(([key, field]) => [key, this.#part(field, name && name + pascal(key))]),
        ),
      }),
      ...(required.length > 0 && properties && { required }),
      ...this.#otherFields(others, name),
    };
  }

  #otherFields(others: JsonSchema | boolean | undefined, name: string): ApiSchema {
    if (others === undefined || (others === false && !this.#target.closesObjects)) return {};
    if (typeof others === 'boolean') return { additionalProperties: others };
    if (Object.keys(others).length === 0) return { additionalProperties: true };
    return { additionalProperties: this.#part(others, name && `${name}Value`) };
  }

  #union(schema: JsonSchema, name: string): ApiSchema {
    const { anyOf, oneOf, ...outer } = schema;
    const rest = plainPartsOf(outer);
    const given = anyOf ?? oneOf ?? [];
    const values = given.filter((member) => !isNull(member));
    // A union with null alone only makes a schema nullable: its name stays.
    const all = values.length === 1 && values[0]?.$ref !== undefined ? given : this.#flattened(given);
    const members = mergedTexts(all.filter(({ type, const: value }) => type !== 'null' && value !== null));
    const isNullable = all.some(isNull);
    const [first, second] = members;
    if (!first) return ALWAYS_NULL;
    if (!second) {
      const only = this.convert(first, name);
      if (only.$ref === undefined) return { ...only, ...rest, ...(isNullable && nullableEnum(only)) };
      const ref = isNullable ? { $ref: only.$ref + NULLABLE } : only;
      return Object.keys(rest).length === 0 ? ref : { allOf: [ref], ...rest };
    }
    // A union has no type that could be nullable, so a member that is no object is.
    const simple = members.findIndex(({ type }) => typeof type === 'string' && type !== 'object');
    if (isNullable && simple < 0 && !this.#target.closesObjects)
      throw new Error(`A union of objects cannot be null in a response: ${JSON.stringify(schema).slice(0, 300)}`);
    const property = discriminatingProperty(members.map(this.#resolved));
    const parts = members.map((member, index) =>
      this.#member(member, name && memberName(name, member, { index, property }), isNullable && index === simple),
    );
    const discriminator =
      property === undefined ? undefined : discriminatorOf(property, members.map(this.#resolved), parts);
    return { [discriminator ? 'oneOf' : 'anyOf']: parts, ...(discriminator && { discriminator }), ...rest };
  }

  /** A member of a union. It gets a name, whatever it is: generated clients have a type for it. */
  #member(member: JsonSchema, name: string, isNullable: boolean): ApiSchema {
    const converted = this.#part(member, name);
    const part = isNullable ? { ...converted, ...nullableEnum(converted) } : converted;
    if (part.$ref !== undefined || part.allOf || name === '') return part;
    this.#target.add(name, part);
    return { $ref: this.#target.refTo(name) ?? '' };
  }

  /** The members of a union, with those of the unions in it. */
  #flattened(members: readonly JsonSchema[]): readonly JsonSchema[] {
    return members.flatMap((member) => {
      const { anyOf, oneOf, type } = this.#resolved(member);
      const inner = anyOf ?? oneOf ?? (Array.isArray(type) ? splitByType(member).anyOf : undefined);
      return inner ? this.#flattened(inner) : [member];
    });
  }

  /** The schema that a reference stands for. */
  readonly #resolved = (schema: JsonSchema): JsonSchema =>
    (schema.$ref === undefined ? undefined : this.#target.find(nameOf(schema.$ref))) ?? schema;
}

/** End of a preliminary reference to a schema that may also be null. */
export const NULLABLE = '?';

/** What makes a schema nullable: null is one of the values of an enumeration, too. */
function nullableEnum({ enum: values }: ApiSchema): ApiSchema {
  return { nullable: true, ...(values && { enum: [...values, null] }) };
}

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);
const isNull = ({ type, const: value }: JsonSchema) => type === 'null' || value === null;
/** True for the schema of a field that must be absent. */
const isNever = ({ not }: JsonSchema) => not !== undefined && Object.keys(not).length === 0;

/** True for a schema that is described once and referred to: an object with fields, or a union of objects. */
function isNameable({ properties, oneOf, anyOf }: ApiSchema): boolean {
  return properties !== undefined || oneOf !== undefined || (anyOf ?? []).some(({ $ref }) => $ref !== undefined);
}

/** `{type: [a, b]}` as a union of a and b. */
function splitByType({
  type,
  description,
  ...rest
}: JsonSchema): JsonSchema & { readonly anyOf: readonly JsonSchema[] } {
  const anyOf = [type ?? []].flat().map((each) => (each === 'null' ? { type: each } : { ...rest, type: each }));
  return { ...(description !== undefined && { description }), anyOf };
}

/** The members with all texts joined to one: no client can tell texts of two forms apart. */
function mergedTexts(members: readonly JsonSchema[]): readonly JsonSchema[] {
  const isText = ({ type, const: value }: JsonSchema) => type === 'string' || typeof value === 'string';
  const texts = members.filter(isText);
  if (texts.length < 2) return members;
  const values = texts.map((text) => (text.const === undefined ? text.enum : [text.const]));
  const known = values.flatMap((each) => each ?? []);
  const areKnown = values.every((each) => each !== undefined);
  const joined: JsonSchema = areKnown ? { type: 'string', enum: known } : { type: 'string' };
  return [joined, ...members.filter((member) => !isText(member))];
}

/** A record whose keys are known, as an object with these fields. */
function fieldsOfRecord({ propertyNames, additionalProperties, required }: JsonSchema) {
  const keys = propertyNames?.enum;
  if (!keys || !required || typeof additionalProperties !== 'object') return undefined;
  return Object.fromEntries(keys.flatMap((key) => (typeof key === 'string' ? [[key, additionalProperties]] : [])));
}

/** Texts that a required field may have; [] if it may have any value, or values that are no texts. */
function textsOf({ properties = {}, required = [] }: JsonSchema, name: string): readonly string[] {
  const { const: value, enum: choices = [] } = properties[name] ?? {};
  if (!required.includes(name)) return [];
  const values = value === undefined ? choices : [value];
  const texts = values.filter((each) => typeof each === 'string');
  return texts.length === values.length ? texts : [];
}

/** The field whose texts tell the members of a union apart; undefined: there is none. */
function discriminatingProperty(members: readonly JsonSchema[]): string | undefined {
  return Object.keys(members[0]?.properties ?? {}).find((name) => {
    const texts = members.map((member) => textsOf(member, name));
    const all = texts.flat();
    return texts.every((each) => each.length > 0) && new Set(all).size === all.length;
  });
}

function discriminatorOf(
  propertyName: string,
  members: readonly JsonSchema[],
  parts: readonly ApiSchema[],
): ApiSchema['discriminator'] {
  const pairs = members.flatMap((member, index) =>
    textsOf(member, propertyName).map((text): [string, string] => [text, parts[index]?.$ref ?? '']),
  );
  return { propertyName, mapping: Object.fromEntries(pairs) };
}

/** Ends of the names of members that are no objects, by their type. */
const SUFFIXES: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Integer',
  boolean: 'Flag',
  array: 'List',
  object: 'Map',
};

/** Name of a member of a union: by the value that tells it apart, else by its type or number. */
function memberName(
  name: string,
  member: JsonSchema,
  { index, property }: { readonly index: number; readonly property: string | undefined },
): string {
  if (property !== undefined) return name + pascal(textsOf(member, property).join(' or '));
  const suffix = member.properties ? undefined : SUFFIXES[[member.type ?? ''].flat()[0] ?? ''];
  return name + (suffix ?? `Variant${index + 1}`);
}

/** Name of the items of a list: `PersonListItem` for `PersonList`, `UserMessagePart` for `UserMessageParts`. */
function itemName(name: string): string {
  if (name === '') return '';
  if (/(?:sh|ch|x|ss)es$/.test(name)) return name.slice(0, -2);
  return /[a-z]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function constant({ const: value, ...rest }: JsonSchema): ApiSchema {
  if (value === null || value === undefined) return ALWAYS_NULL;
  const plain = plainPartsOf(rest);
  // Generators of clients make no good types for enumerations of numbers.
  if (typeof value === 'number') return { ...plain, type: 'integer', format: 'int32', minimum: value, maximum: value };
  return { ...plain, type: typeof value, enum: [value] };
}

/** A text, a number, a boolean or any value. */
function scalar({ propertyNames: _, exclusiveMinimum, exclusiveMaximum: __, ...schema }: JsonSchema): ApiSchema {
  const { pattern, minimum, maximum, ...rest } = plainPartsOf(schema);
  if (rest.type === 'null') return ALWAYS_NULL;
  // An empty text as the default of one that must not be empty stands for none.
  if (rest.default === '' && (rest.minLength ?? 0) > 0) delete (rest as { default?: JsonValue }).default;
  if (rest.type === 'integer') return { ...rest, ...integerBounds(minimum, maximum, exclusiveMinimum) };
  return {
    ...rest,
    ...(rest.type === undefined && rest.description === undefined && rest.enum === undefined && ANY),
    // A format says it better; the patterns of formats are long.
    ...(pattern !== undefined && rest.format === undefined && !UNPORTABLE_PATTERN.test(pattern) && { pattern }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

/** Size and bounds of an integer; zod writes the bounds of safe integers for each, which are left out. */
function integerBounds(minimum: number | undefined, maximum: number | undefined, above: number | undefined): ApiSchema {
  const from = above === undefined ? minimum : above + 1;
  const isSmall = maximum !== undefined && maximum <= MAX_INT32;
  return {
    format: isSmall ? 'int32' : 'int64',
    ...(from !== undefined && from !== Number.MIN_SAFE_INTEGER && { minimum: from }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

function withoutNullDefault<Schema extends { readonly default?: JsonValue | undefined }>(schema: Schema): Schema {
  if (schema.default !== null && !isEmpty(schema.default)) return schema;
  const { default: _, ...rest } = schema;
  return rest as Schema;
}

/** The parts of a schema that need no conversion; the caller replaces the others. */
function plainPartsOf(schema: JsonSchema): ApiSchema {
  return withoutNullDefault(schema) as unknown as ApiSchema;
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || (isJsonObject(value) && Object.keys(value).length === 0);
}
