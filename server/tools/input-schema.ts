import { z } from 'zod';
import type { Tool, ToolInputSchema } from '#server/tools/tool';

/** What a model is told about one tool. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
}

/** Keywords that cost tokens in every request and tell a model nothing; zod still enforces what they say. */
const SILENT_KEYWORDS = [
  '$schema',
  'additionalProperties',
  'propertyNames',
  'minLength',
  'minimum',
  'maximum',
  'maxLength',
  'maxItems',
];

/**
 * A tool as the model sees it, with the tersest JSON Schema of its input that still names every field. The input is
 * validated by `tool.input`, not by this schema.
 */
export function defineForModel({ name, description, input, inputSchema }: Tool): ToolDefinition {
  return { name, description, inputSchema: inputSchema ?? terseSchema(input) };
}

function terseSchema(input: z.ZodType): ToolInputSchema {
  const schema = z.toJSONSchema(input, {
    target: 'draft-07',
    io: 'input',
    reused: 'inline',
    override: ({ jsonSchema }) => {
      for (const keyword of SILENT_KEYWORDS) delete jsonSchema[keyword];
    },
  });
  const { $schema: _dialect, ...rest } = schema;
  return { ...rest, type: 'object' };
}
