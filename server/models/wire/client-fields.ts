import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LanguageModelMiddleware } from 'ai';
import { z } from 'zod';
import type { JsonObject } from '#server/core/json';

/**
 * Name of the option that contains the fields of a client's chat completions request. Servers of that format receive
 * them unchanged; a vendor with its own interface has other names for them.
 */
export const CLIENT_FIELDS = 'clientFields';

const formatSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string(),
      description: z.string().optional().catch(undefined),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish().catch(null),
    }),
  }),
]);

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

const fieldsSchema = z.object({
  response_format: formatSchema.optional().catch(undefined),
  reasoning_effort: z.string().optional(),
  parallel_tool_calls: z.boolean().optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional().catch(undefined),
  user: z.string().optional(),
});
type ClientFields = z.infer<typeof fieldsSchema>;

/** A vendor's own options, apart from the response format. */
type Translated = Pick<LanguageModelV4CallOptions, 'reasoning'> & { readonly own?: JsonObject };

const translations = {
  /**
   * Anthropic requires the signed reasoning of a call to be sent back; a client's messages do not contain it. Therefore
   * no reasoning is requested.
   */
  anthropic: ({ parallel_tool_calls: parallel }) =>
    parallel === false ? { own: { disableParallelToolUse: true } } : {},
  openai: ({ response_format: format, reasoning_effort: effort, parallel_tool_calls: parallel, verbosity, user }) => ({
    own: {
      // Without the reasoning summaries that the package requests by default: they require a verified account.
      ...(effort !== undefined && { reasoningEffort: effort, reasoningSummary: null }),
      ...(parallel !== undefined && { parallelToolCalls: parallel }),
      ...(verbosity !== undefined && { textVerbosity: verbosity }),
      ...(user !== undefined && { user }),
      // The package's own default is true, which refuses schemas with optional fields.
      ...(format?.type === 'json_schema' && { strictJsonSchema: format.json_schema.strict ?? false }),
    },
  }),
  google: ({ reasoning_effort: effort }) => {
    const reasoning = efforts.find((each) => each === effort);
    return reasoning === undefined ? {} : { reasoning };
  },
} satisfies Readonly<Record<string, (fields: ClientFields) => Translated>>;

/** Makes a vendor's models respect the fields of a client's request, as far as the vendor supports them. */
export function clientFieldsOf(vendor: keyof typeof translations): LanguageModelMiddleware {
  const translate: (fields: ClientFields) => Translated = translations[vendor];
  const translated = (params: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
    const { providerOptions } = params;
    const { data: fields } = fieldsSchema.safeParse(providerOptions?.[CLIENT_FIELDS]);
    if (!fields) return params;
    const { own = {}, ...more } = translate(fields);
    return {
      ...params,
      ...more,
      ...(fields.response_format && { responseFormat: formatOf(fields.response_format) }),
      providerOptions: { ...providerOptions, [vendor]: { ...providerOptions?.[vendor], ...own } },
    };
  };
  return {
    specificationVersion: 'v4',
    transformParams: ({ params }) => Promise.resolve(translated(params)),
  };
}

function formatOf(
  format: z.infer<typeof formatSchema>,
): Exclude<LanguageModelV4CallOptions['responseFormat'], undefined> {
  if (format.type === 'json_object') return { type: 'json' };
  const { name, description, schema } = format.json_schema;
  return { type: 'json', name, ...(description !== undefined && { description }), ...(schema && { schema }) };
}
