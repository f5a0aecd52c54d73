import { z } from 'zod';
import { base64FileUrl } from '#server/conversation/import/openai-messages';
import { boundedRecord } from '#server/core/bounded-schema';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/core/shapes';
import { requireOfferedTool } from '#server/integrations/openai/named-tool';

/*
 * The body of POST /v1/responses, as Open Responses and OpenAI's Responses API define it. Unknown fields are ignored, as
 * on other servers of this format.
 */

/* Bounds of one request. Choices, not measured: far above what models and clients write. */

const MAX_ITEMS = 20_000;
const MAX_PARTS = 10_000;
const MAX_TOOLS = 512;
/** Fields of a JSON schema. */
const MAX_FIELDS = 1_000;
/** Characters of an id or a name. */
const MAX_NAME = 500;
/** Characters of a word such as `high` or `auto`. */
const MAX_WORD = 50;

const jsonFields = boundedRecord(z.string(), jsonValueSchema, MAX_FIELDS);
const id = z.string().min(1).max(MAX_NAME);
const word = z.string().max(MAX_WORD);

const textPart = z
  .object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() })
  .register(components, { id: 'OpenResponsesText' });
const refusalPart = z
  .object({ type: z.literal('refusal'), refusal: z.string() })
  .register(components, { id: 'OpenResponsesRefusal' });
const imagePart = z
  .object({ type: z.literal('input_image'), image_url: base64FileUrl, detail: word.nullish() })
  .register(components, { id: 'OpenResponsesImage' });
const filePart = z
  .object({ type: z.literal('input_file'), file_data: base64FileUrl, filename: z.string().max(MAX_NAME).nullish() })
  .register(components, { id: 'OpenResponsesFile' });
const contentPart = z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart]);
const content = z.union([z.string(), z.array(contentPart).max(MAX_PARTS)]);

const messageItem = z
  .object({
    type: z.literal('message').optional(),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content,
  })
  .register(components, { id: 'OpenResponsesMessage' });

const callItem = z
  .object({ type: z.literal('function_call'), call_id: id, name: id, arguments: z.string() })
  .register(components, { id: 'OpenResponsesCall' });

const outputItem = z
  .object({ type: z.literal('function_call_output'), call_id: id, output: content })
  .register(components, { id: 'OpenResponsesCallOutput' });

const summaryPart = z.object({ type: z.string().max(MAX_WORD), text: z.string() });
const reasoningItem = z
  .object({
    type: z.literal('reasoning'),
    summary: z.array(summaryPart).max(MAX_PARTS).nullish(),
    content: z.array(summaryPart).max(MAX_PARTS).nullish(),
    encrypted_content: z.string().nullish().describe('As an earlier answer gave it'),
  })
  .register(components, { id: 'OpenResponsesReasoning' });

const referenceItem = z
  .object({ type: z.literal('item_reference'), id })
  .register(components, { id: 'OpenResponsesReference' });

const compactionItem = z
  .object({
    type: z.literal('compaction').describe('Always `compaction`'),
    encrypted_content: z.string().describe('As `/v1/responses/compact` gave it'),
  })
  .register(components, { id: 'OpenResponsesCompaction' });

/** One item of a conversation. */
export const itemSchema = z
  .discriminatedUnion('type', [messageItem, callItem, outputItem, reasoningItem, referenceItem, compactionItem])
  .register(components, { id: 'OpenResponsesItem' });
export type ResponseItem = z.infer<typeof itemSchema>;

const toolSchema = z
  .object({
    type: z.string().max(MAX_NAME).describe('`function`; tools of other types are ignored'),
    name: z.string().max(MAX_NAME).optional(),
    description: z.string().nullish(),
    parameters: jsonFields.nullish(),
    strict: z.boolean().nullish(),
  })
  .register(components, { id: 'OpenResponsesTool' });

const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z
    .object({
      type: z.enum(['function', 'allowed_tools']),
      name: z.string().max(MAX_NAME).optional().describe('With `function`: its name'),
      mode: z.enum(['auto', 'required']).optional().describe('With `allowed_tools`'),
      tools: z
        .array(z.object({ type: z.string().max(MAX_NAME), name: z.string().max(MAX_NAME).optional() }))
        .max(MAX_TOOLS)
        .optional(),
    })
    .register(components, { id: 'OpenResponsesToolChoice' }),
]);

const formatSchema = z
  .object({
    type: z.enum(['text', 'json_object', 'json_schema']),
    name: z.string().max(MAX_NAME).optional(),
    schema: jsonFields.optional(),
    strict: z.boolean().nullish(),
  })
  .register(components, { id: 'OpenResponsesFormat' });

/** A field that asks for something that is not done here. */
const unsupported = (message: string) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || value === false, message)
    .optional()
    .describe('Not supported: null or false');

const input = z.union([z.string().min(1), z.array(itemSchema).max(MAX_ITEMS)]);

/** The body of POST /v1/responses/compact. */
export const compactBody = z
  .object({
    model: z.string().min(1).describe('Id of the model that will continue the conversation'),
    input: input.nullish().describe('The conversation, or what follows `previous_response_id`'),
    instructions: z.string().nullish().describe('Counted with the conversation; not part of what is returned'),
    previous_response_id: id.nullish().describe('A stored answer whose conversation is compacted'),
  })
  .superRefine(({ input: items, previous_response_id: previous }, context) => {
    if (items || previous) return;
    context.addIssue({ code: 'custom', path: ['input'], message: 'or "previous_response_id" is required' });
  })
  .register(components, { id: 'OpenResponsesCompactBody' });
export type CompactBody = z.infer<typeof compactBody>;

/** The body of POST /v1/responses. */
export const responsesBody = z
  .object({
    model: z.string().min(1),
    input,
    instructions: z.string().nullish(),
    tools: z.array(toolSchema).max(MAX_TOOLS).nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    reasoning: z.object({ effort: word.nullish() }).nullish(),
    text: z.object({ format: formatSchema.nullish(), verbosity: word.nullish() }).nullish(),
    stream: z.boolean().nullish(),
    store: z
      .boolean()
      .nullish()
      .describe(
        'Default true: the answer can be referred to for 30 days, of one user as long as their newest ones have 200 million characters',
      ),
    previous_response_id: id.nullish(),
    include: z.array(z.string().max(MAX_NAME)).max(100).nullish(),
    metadata: jsonFields.nullish(),
    user: z.string().max(1_000).nullish(),
    background: unsupported('is not supported: answers are given at once'),
    conversation: unsupported('is not supported: send "previous_response_id" or the whole input'),
    prompt: unsupported('is not supported: send "instructions" and "input"'),
  })
  .superRefine(({ tools, tool_choice: choice }, context) => {
    if (typeof choice !== 'object' || choice?.type !== 'function') return;
    const functions = (tools ?? []).filter(({ type }) => type === 'function');
    requireOfferedTool(
      context,
      ['tool_choice'],
      choice.name,
      functions.map(({ name }) => name),
    );
  })
  .register(components, { id: 'OpenResponsesBody' });
export type ResponsesBody = z.infer<typeof responsesBody>;
