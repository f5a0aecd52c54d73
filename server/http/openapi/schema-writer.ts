import { z } from 'zod';
import type { ApiSchema } from '#server/core/api-document';
import { components } from '#server/core/shapes';

/** What zod writes with a schema: its description (`describe`) and its name in the document. */
const metadata = {
  get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...components.get(schema) }),
  has: () => true,
} as unknown as typeof components;

/** Bounds that zod writes for every integer; they are left out. */
const BOUNDS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Removes from a JSON Schema what does not belong into the document. */
function tidy({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // Clients must accept new fields in a response; for bodies, the description says that unknown fields are refused.
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  for (const [name, bound] of Object.entries(BOUNDS)) if (jsonSchema[name] === bound) delete jsonSchema[name];
}

/** Converts the zod schemas of one document to JSON Schemas. A schema with a name is written once and referred to. */
export class SchemaWriter {
  readonly #named = new Map<string, string>();

  /**
   * Converts a schema.
   * @param io `input`: what a client sends; `output`: what it receives
   * @throws Error if a name stands for two shapes, or if a recursive schema has no name
   */
  write(schema: z.ZodType, io: 'input' | 'output'): ApiSchema {
    const written = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', override: tidy });
    const { $schema: _, $defs = {}, ...root } = written;
    for (const [name, named] of Object.entries($defs)) this.#addNamed(name, named);
    return this.#withReferences(root);
  }

  /** All named schemas, ordered by name. */
  named(): Record<string, ApiSchema> {
    const entries = [...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, text]) => [name, JSON.parse(text) as ApiSchema]));
  }

  #addNamed(name: string, schema: unknown): void {
    if (name.startsWith('__')) throw new Error(`A schema that contains itself needs a name: ${JSON.stringify(schema)}`);
    const text = JSON.stringify(this.#withReferences(schema));
    if ((this.#named.get(name) ?? text) !== text) throw new Error(`"${name}" stands for two shapes.`);
    this.#named.set(name, text);
  }

  #withReferences(schema: unknown): ApiSchema {
    const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
    return JSON.parse(text) as ApiSchema;
  }
}

/** Reference to a named schema of the document. */
export function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}
