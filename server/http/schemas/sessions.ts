import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { strategyNames } from '#server/core/admin/strategy-names';
import { EXPORT_FORMAT, exportFormats } from '#server/core/conversation/session-export';
import { sessionStates } from '#server/core/conversation/session-overview';
import { siteIdSchema } from '#server/core/site/remote-site';
import { requiredLine } from '#server/core/text/safe-text';
import { hasVisibleText } from '#server/core/text/visible-text';
import { components } from '#server/core/shapes';

/* Requests for conversations (sessions): messages, context, compaction, search, import and export. */

/** Id of a session. Ids of our rows are a prefix and a lower-case ULID. */
export const sessionIdSchema = z
  .string()
  .regex(/^ses_[0-9a-z]{26}$/, 'is not a session id')
  .describe('Id of a session, as in `/api/sessions/{id}`');
const title = requiredLine(200).refine(hasVisibleText, valueRules.empty).describe('Title of the session, one line');
export const modelIdSchema = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of a model of `GET /api/models`; absent: that of the session, else the default model');

export const messageIdSchema = z
  .string()
  .regex(/^msg_[0-9a-z]{26}$/, 'is not a message id')
  .describe('Id of a message of the session');

export const sessionParams = z.object({ id: sessionIdSchema });

/** Query of routes that can report on one of the caller's own conversations. */
export const aboutSessionQuery = z.object({
  sessionId: z
    .string()
    .regex(/^ses_[0-9a-z]{26}$/, 'is not the id of a session')
    .optional()
    .describe('A conversation of the caller’s own'),
});

export const compactionParams = z.object({
  id: sessionIdSchema,
  compactionId: z.string().regex(/^cmp_[0-9a-z]{26}$/, 'is not a compaction id'),
});

export const preferenceParams = z.object({
  id: sessionIdSchema,
  wishId: z.string().regex(/^kep_[0-9a-z]{26}$/, 'is not the id of a preference'),
});

/** Strategy of a compaction; default: the one in the settings. */
const strategySchema = z.enum(strategyNames).describe('Strategy of the compaction; absent: that of the settings');

export const createSessionBody = z
  .strictObject({
    title: title
      .optional()
      .describe('Title, one line; absent: `New conversation` until the first message gives it one'),
    modelId: modelIdSchema
      .optional()
      .describe('Id of the model of the session, from `GET /api/models`; absent: the default model'),
  })
  .prefault({})
  .register(components, { id: 'CreateSessionBody' });

export const updateSessionBody = z
  .strictObject({
    title: title.optional().describe('New title, one line; absent: unchanged'),
    modelId: modelIdSchema
      .nullable()
      .optional()
      .describe('Id of a model of `GET /api/models`; null: the default model; absent: unchanged'),
  })
  .refine((body) => Object.keys(body).length > 0, valueRules.change)
  .register(components, { id: 'UpdateSessionBody' });

const limit = (max: number) => z.coerce.number().int().min(1).max(max).optional();
const cursor = z.string().min(1).max(500).optional().describe('`nextCursor` of the page before');

export const listSessionsQuery = z.object({ cursor, limit: limit(200), q: z.string().max(200).optional() });

export const overviewsQuery = listSessionsQuery.extend({
  state: z.enum(sessionStates).optional(),
  site: siteIdSchema.optional(),
});

export const listMessagesQuery = z
  .object({
    cursor,
    limit: limit(1_000),
    summaries: z.enum(['0', '1']).optional().describe('`1`: compaction summaries too'),
    format: z
      .enum(['rich', 'ui'])
      .optional()
      .describe(
        '`ui`: folded as the chat shows them. All at once; with `limit` the newest, in whole turns, `cursor` leads back.',
      ),
    superseded: z
      .enum(['0', '1'])
      .optional()
      .describe('`1`: also what other messages were sent in the place of. Not with `format=ui`.'),
    supersededBy: messageIdSchema
      .optional()
      .describe('With `format=ui`: what was superseded when this message was sent, instead of what stands'),
  })
  .refine(
    ({ format, superseded, supersededBy }) => (format === 'ui' ? superseded : supersededBy) === undefined,
    'superseded goes with format=rich, supersededBy with format=ui',
  );

export const exportQuery = z.object({ format: z.enum(exportFormats).default('markdown') });

export const contextQuery = z.object({ modelId: modelIdSchema.optional() });

/** Maximum messages of an import or prepare request. */
const MAX_MESSAGES = 20_000;
/** Maximum fields of such a message. Its shape is checked by the importer, which supports three formats. */
const MAX_MESSAGE_FIELDS = 100;
const foreignMessages = z
  .array(boundedRecord(z.string(), z.unknown(), MAX_MESSAGE_FIELDS))
  .min(1)
  .max(MAX_MESSAGES)
  .describe('Messages of the AI SDK, of OpenAI or of an export of ours, oldest first');

/** Imports messages of any supported format, and the other fields of our own export. */
export const importBody = z
  .strictObject({
    messages: foreignMessages,
    format: z.literal(EXPORT_FORMAT).optional().describe('Marks an export of ours'),
    session: z
      .looseObject({
        title: title.optional().catch(undefined).describe('Title of the exported session'),
        instructions: z.string().nullable().optional().describe('System messages of the exported session; null: none'),
      })
      .optional()
      .describe('Its title is taken where this conversation has none yet, its instructions join those that there are'),
    wishes: z
      .array(
        z.looseObject({ quote: z.string().min(1).max(1_000).describe('Words of the user in one of the messages') }),
      )
      .max(100)
      .optional()
      .describe('Kept where a message of the user has their words, as long as there is room for them'),
    compactions: z.array(z.unknown()).max(1_000).optional().describe('Not taken over'),
  })
  .register(components, { id: 'ImportBody' });

export const prepareBody = z
  .strictObject({
    messages: foreignMessages.optional().describe('New messages, which are stored; absent: none are added'),
    modelId: modelIdSchema
      .optional()
      .describe('Id of the model that the messages must fit, from `GET /api/models`; absent: the model of the session'),
    strategy: strategySchema.optional(),
  })
  .prefault({})
  .register(components, { id: 'PrepareBody' });

export const compactBody = z
  .strictObject({
    strategy: strategySchema.optional(),
    instructions: z.string().trim().min(1).max(2_000).optional().describe('What the summary should pay attention to'),
  })
  .prefault({})
  .register(components, { id: 'CompactBody' });

/** Maximum bytes of an import or prepare request, which contains a whole conversation. */
export const CONVERSATION_BODY_BYTES = 32_000_000;
/** Maximum JSON values of such a body: 10,000 messages of our own export have about 25 each. */
export const CONVERSATION_BODY_VALUES = 250_000;

/** Full-text search in one session; any text is allowed. */
export const searchQuery = z.object({
  q: z.string().min(1).max(1_000),
  limit: z.coerce.number().int().min(1).max(50).optional().describe('Default 10'),
});

/** Full-text search in all sessions, or in one as its reader sees it. */
export const searchAllQuery = z.object({
  q: z.string().min(1).max(1_000),
  session: sessionIdSchema.optional().describe('Only this session. Default: all of the caller'),
  cursor,
  limit: z.coerce.number().int().min(1).max(50).optional().describe('Default 20'),
});

export const historyQuery = z.object({
  cursor: z.string().min(1).max(80).optional().describe('`nextCursor` of the page before'),
  limit: z.coerce.number().int().min(1).max(2_000).optional().describe('Default 200'),
});

/** Id of an event, as text; becomes a number. */
export const eventIdSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the id of an event')
  .transform(Number);

export const eventsQuery = z.object({
  lastEventId: eventIdSchema
    .optional()
    .describe('Goes on behind this event; the header `Last-Event-ID` says the same and counts more'),
});

export const sessionEventsQuery = eventsQuery.extend({
  snapshot: z.enum(['0', '1']).optional().describe('`1`: begins with a `snapshot` of the whole state'),
});
