import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/core/shapes';

/** Maximum providers in the metadata of a part, and maximum fields of each; providers send a handful. */
const MAX_METADATA = 200;
/** Maximum entries of a record in a part, such as the entries of the site that one call reads. Far above real values. */
export const MAX_PART_ENTRIES = 100_000;

/** Provider-specific data (reasoning signatures, cache hints) that must go back to the provider unchanged. */
export const providerMetadataSchema = boundedRecord(
  z.string(),
  boundedRecord(z.string(), jsonValueSchema, MAX_METADATA),
  MAX_METADATA,
)
  .describe('Data of a provider by its name, such as signatures of reasoning: goes back to that provider unchanged')
  .register(components, { id: 'ProviderMetadata' });

export const providerMetadata = providerMetadataSchema.optional();

/** Id that the model, or the client of an import, gave a tool call. */
export const toolCallIdSchema = z
  .string()
  .describe('Id of the tool call, as its model gave it: call and result share it');
/** Name of the tool of a call. */
export const toolNameSchema = z.string().describe('Name of the called tool');

/** Content of text and reasoning, with data of its provider. */
export const writtenSchema = z
  .object({
    text: z.string().describe('The text; while it is written, what there is so far'),
    providerMetadata,
  })
  .describe('A text with data of its provider');
