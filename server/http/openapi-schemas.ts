import { z } from 'zod';
import type { ApiSchema } from '#server/core/api-document';
import { components } from '#server/http/schemas/components';

/** What schemas say of themselves (`describe`), and the names that the document gives them. */
const metadata = {
  get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...components.get(schema) }),
  has: () => true,
} as unknown as typeof components;

/** zod writes the largest safe integers as the bounds of every whole number. */
const BOUNDS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function tidy({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // A client has to live with a field that is new in an answer; that unknown fields are refused, bodies say in words.
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  for (const [name, bound] of Object.entries(BOUNDS)) if (jsonSchema[name] === bound) delete jsonSchema[name];
}

/**
 * Turns zod schemas into JSON Schemas for one document; what has a name is described once.
 */
export class SchemaWriter {
  readonly #named = new Map<string, string>();

  /**
   * @param io `input`: what a client sends; `output`: what it is sent
   * @throws Error where a name stands for two shapes, or a schema that contains itself has none
   */
  write(schema: z.ZodType, io: 'input' | 'output'): ApiSchema {
    const written = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', override: tidy });
    const { $schema: _, $defs = {}, ...root } = written;
    for (const [name, named] of Object.entries($defs)) this.#keep(name, named);
    return this.#linked(root);
  }

  /** Everything that has a name, in the order of names. */
  named(): Record<string, ApiSchema> {
    const entries = [...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, text]) => [name, JSON.parse(text) as ApiSchema]));
  }

  #keep(name: string, schema: unknown): void {
    if (name.startsWith('__')) throw new Error(`A schema that contains itself needs a name: ${JSON.stringify(schema)}`);
    const text = JSON.stringify(this.#linked(schema));
    if ((this.#named.get(name) ?? text) !== text) throw new Error(`"${name}" stands for two shapes.`);
    this.#named.set(name, text);
  }

  #linked(schema: unknown): ApiSchema {
    const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
    return JSON.parse(text) as ApiSchema;
  }
}

export function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}
