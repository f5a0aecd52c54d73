import { z } from 'zod';
import type { ApiSchema } from '#server/core/api-document';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/core/shapes';
import { type JsonSchema, NULLABLE, StrictSchemas } from '#server/http/openapi/strict-schema';

/** Direction of a schema: what a client sends, or what it receives. */
export type Direction = 'input' | 'output';

/** Name under which a recursive schema for any JSON value is collected; the document contains no such schema. */
const ANY_JSON = 'AnyJson';

/** What zod writes with a schema: its description (`describe`) and its name in the document. */
const metadata = {
  get: (schema: z.core.$ZodType) => ({
    ...z.globalRegistry.get(schema),
    ...(schema === jsonValueSchema ? { id: ANY_JSON } : components.get(schema)),
  }),
  has: () => true,
} as unknown as typeof components;

/** Base64 as OpenAPI 3.0 names it (Data Types: `byte`), which has no `contentEncoding`. */
function writeBase64({ jsonSchema }: { readonly jsonSchema: { contentEncoding?: unknown; format?: string } }): void {
  if (jsonSchema.contentEncoding === undefined) return;
  delete jsonSchema.contentEncoding;
  jsonSchema.format = 'byte';
}

/** Prefixes of references while the document is written: a name may stand for two schemas, one for each direction. */
const MARKS: Readonly<Record<Direction, string>> = { input: '#input/', output: '#output/' };

/**
 * Converts the zod schemas of one document to schemas of OpenAPI 3.0. A schema with a name is written once and referred
 * to. If a named schema differs between requests and responses, the one of requests gets the suffix `Input`.
 */
export class SchemaWriter {
  readonly #schemas: Readonly<Record<Direction, Map<string, ApiSchema>>> = { input: new Map(), output: new Map() };

  /**
   * Converts a schema. The result contains preliminary references, which `finish` replaces.
   * @param name for a schema without a name of its own
   * @throws Error if a name stands for two schemas, or if a part of a union has no name
   */
  write(schema: z.ZodType, direction: Direction, name?: string): ApiSchema {
    const written = z.toJSONSchema(schema, { io: direction, metadata, unrepresentable: 'any', override: writeBase64 });
    const {
      $schema: _,
      $defs = {},
      ...root
    } = written as JsonSchema & {
      readonly $schema?: string;
      readonly $defs?: Readonly<Record<string, JsonSchema>>;
    };
    const { id = name } = components.get(schema) ?? {};
    const strict = new StrictSchemas({
      closesObjects: direction === 'input',
      refTo: (each) => (each === ANY_JSON ? null : MARKS[direction] + each),
      find: (each) => $defs[each],
      add: (each, part) => this.#add(direction, each, part),
    });
    for (const [each, named] of Object.entries($defs)) if (each !== ANY_JSON) strict.addNamed(each, named);
    if (id === undefined || root.$ref !== undefined) return strict.convert(root, '');
    strict.addNamed(id, root);
    return { $ref: MARKS[direction] + id };
  }

  /** Adds a union of named schemas of responses. */
  union(name: string, anyOf: readonly ApiSchema[], description: string): ApiSchema {
    this.#add('output', name, { anyOf, description });
    return { $ref: MARKS.output + name };
  }

  /** The document with its final references, and all named schemas, ordered by name. */
  finish<T>(document: T): { readonly document: T; readonly schemas: Record<string, ApiSchema> } {
    const different = this.#differentNames();
    const { input, output } = this.#schemas;
    const named = [
      ...output,
      ...[...input].flatMap(([name, schema]): [string, ApiSchema][] => {
        if (different.has(name)) return [[inputName(name), schema]];
        return output.has(name) ? [] : [[name, schema]];
      }),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const twice = named.find(([name], index) => named[index + 1]?.[0] === name);
    if (twice) throw new Error(`"${twice[0]}" stands for two schemas.`);
    const whole = { document, schemas: Object.fromEntries(named) };
    const finalName = (direction: Direction, name: string) =>
      direction === 'input' && different.has(name) ? inputName(name) : name;
    return withNullable(whole, finalName);
  }

  #add(direction: Direction, name: string, schema: ApiSchema): void {
    const known = this.#schemas[direction].get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`"${name}" stands for two schemas: ${JSON.stringify(known)} ${JSON.stringify(schema)}`);
    }
    this.#schemas[direction].set(name, schema);
  }

  /** Names whose schemas differ between requests and responses, in themselves or in a schema that they refer to. */
  #differentNames(): ReadonlySet<string> {
    const { input, output } = this.#schemas;
    const both = [...input].flatMap(([name, sent]) => {
      const received = output.get(name);
      return received ? [{ name, sent: JSON.stringify(sent), received: JSON.stringify(received) }] : [];
    });
    const plain = (text: string) => text.replaceAll(/"#(?:input|output)\//g, '"#');
    const different = new Set(
      both.flatMap(({ name, sent, received }) => (plain(sent) === plain(received) ? [] : [name])),
    );
    for (let size = -1; size !== different.size;) {
      size = different.size;
      for (const { name, sent } of both) {
        const refs = Array.from(sent.matchAll(/"#input\/(\w+)"/g), ([, ref = '']) => ref);
        if (refs.some((ref) => different.has(ref))) different.add(name);
      }
    }
    return different;
  }
}

/** A preliminary reference: its direction, its name, and whether null is allowed, too. */
const REFERENCE = new RegExp(`"#(input|output)/(\\w+)(\\${NULLABLE})?"`, 'g');

/**
 * Replaces the preliminary references. A schema that may be null everywhere becomes nullable itself; of one that may be
 * null in some places only, there is a second schema with the prefix `Nullable`. (In OpenAPI 3.0 null is no schema that a
 * union could name, and a reference cannot be nullable.)
 */
function withNullable<T extends { readonly schemas: Record<string, ApiSchema> }>(
  whole: T,
  finalName: (direction: Direction, name: string) => string,
): T {
  const text = JSON.stringify(whole);
  const uses = Array.from(text.matchAll(REFERENCE), ([, direction, name = '', mark]) => ({
    name: finalName(direction as Direction, name),
    isNullable: mark !== undefined,
  }));
  const plain = new Set(uses.filter(({ isNullable }) => !isNullable).map(({ name }) => name));
  const nullable = new Set(uses.filter(({ isNullable }) => isNullable).map(({ name }) => name));
  const resolved = JSON.parse(
    text.replaceAll(REFERENCE, (_, direction: Direction, found: string, mark?: string) => {
      const name = finalName(direction, found);
      return JSON.stringify(refTo(mark !== undefined && plain.has(name) ? `Nullable${name}` : name));
    }),
  ) as T;
  const schemas = Object.entries(resolved.schemas).flatMap(([name, schema]): [string, ApiSchema][] => {
    if (!nullable.has(name) || schema.type === undefined) return [[name, schema]];
    const copy = { ...schema, nullable: true };
    return plain.has(name)
      ? [
          [name, schema],
          [`Nullable${name}`, copy],
        ]
      : [[name, copy]];
  });
  return { ...resolved, schemas: Object.fromEntries(schemas.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

const inputName = (name: string) => `${name}Input`;

/** Reference to a named schema of the document. */
function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}
