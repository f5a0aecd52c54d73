import { z } from 'zod';
import type { ContentBackend } from '#server/site/content-backend';
import type { FieldChange } from '#server/core/site/changes';
import { InvalidInputError, NotFoundError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { type Preference, sameQuote } from '#server/core/conversation/preferences';
import { oneLine } from '#server/core/text/short-text';
import { type RichPart, richResult } from '#server/core/conversation/tool-result';
import { serverText } from '#server/core/messages/server-text';
import { effect } from '#server/tools/effects';
import { notesResult } from '#server/tools/result-fields';
import { nameInput } from '#server/tools/schemas';
import {
  defineTool,
  type HistoryImage,
  type HistoryLine,
  type HistoryReader,
  type PassageLine,
  type SessionFiles,
} from '#server/tools/tool';
import { addInstruction, type NewInstruction } from '#server/tools/add-instruction';
import { textsOfNotes } from '#server/core/message-data';

/** Asks the user a question and ends the turn; the next user message is the answer. */
export const askUser = defineTool({
  name: 'ask_user',
  isForEverybody: true,
  description: 'Ask the user one question and wait for the answer.',
  input: z.object({
    question: z.string().min(1).max(1000),
    options: z.array(z.string().min(1).max(200)).max(10).optional().describe('answers to choose from'),
  }),
  endsTurn: true,
  async execute() {
    return { status: 'asked' };
  },
});

const instructionInput = z.strictObject({
  kind: z.enum(['voice', 'term', 'rule']),
  text: z.string().min(1).max(4_000).describe('term: the word as written here'),
  meaning: z.string().max(400).optional().describe('of a term'),
});
type Input = z.infer<typeof instructionInput>;

/** Adds one of the site's standing instructions, with the user's approval, because they apply to every conversation. */
export const rememberInstruction = defineTool({
  name: 'remember_instruction',
  description: 'Keep a standing instruction for the whole site, if the user agrees.',
  input: instructionInput,
  writes: true,
  policy: 'ask',
  // An instruction that exists already needs no approval.
  asks: async (input, { content }) => (await planAddition(content, input)).addition !== null,
  async effect(input, { content, origin }) {
    const { addition } = await planAddition(content, input);
    if (addition === null)
      return effect({
        summary: serverText('instruction-exists'),
        targets: [],
      });
    const { next, replaced } = addition;
    // Fails before the approval if the instruction exceeds the limit.
    const notes = await content.setStandingInstructions(next, origin, { dryRun: true });
    return effect({
      summary: serverText('remember', { kind: input.kind }),
      // Other instructions that are added in the meantime do not change what the user approved.
      targets: [],
      changes: [{ field: FIELDS[input.kind], kind: replaced === null ? 'added' : 'changed', before: replaced, after: instructionText(input) }], // oxfmt-ignore
      warnings: [
        ...(replaced === null ? [] : [serverText('replaces-instruction', { text: replaced })]),
        ...textsOfNotes(notes),
      ],
    });
  },
  async execute(input, { content, origin }) {
    const { present, addition } = await planAddition(content, input);
    if (addition === null) return { kept: instructionText(input), note: 'It was there already, so nobody was asked.' };
    const change = await content.setStandingInstructions(addition.next, origin, { ifRevision: present.revision });
    return {
      kept: instructionText(input),
      agreed: origin.approvalId === undefined ? 'not asked: the settings of this site allow it' : 'the user agreed',
      ...(addition.replaced !== null && { replaced: addition.replaced }),
      changeId: change.id,
      ...notesResult(change),
    };
  },
});

const FIELDS: Record<Input['kind'], FieldChange['field']> = { voice: 'voice', term: 'words', rule: 'rules' };

async function planAddition(content: ContentBackend, input: Input) {
  const { revision, ...instructions } = await content.standingInstructions();
  return { present: { revision }, addition: addInstruction(instructions, instructionOf(input)) };
}

function instructionOf({ kind, text, meaning = '' }: Input): NewInstruction {
  if (kind !== 'term') return { kind, text };
  if (meaning.trim() === '') throw new InvalidInputError('A term needs its meaning.');
  return { kind, text, meaning };
}

const instructionText = ({ kind, text, meaning }: Input) => (kind === 'term' ? `${text}: ${meaning}` : text);

/** Characters per page; small enough that recalling does not itself exceed a 16k window. */
const PAGE_LENGTH = 8_000;

/**
 * Pages through stored content that the view no longer shows in full: a cleared tool output, a cut tool input, a
 * message found by search_history.
 */
export const recallOutput = defineTool({
  name: 'recall_output',
  isForEverybody: true,
  description: 'Read in full what was cleared, cut or found in this conversation, or see its images again.',
  maxOutputChars: 20_000,
  input: z.object({
    id: nameInput(200).describe('prt_...'),
    offset: z.int().min(0).optional().describe('character'),
  }),
  async execute({ id, offset = 0 }, { history, files }) {
    const whole = await history.readPart(id);
    const images = offset === 0 ? await history.imagesOf(id) : [];
    if (whole === null && images.length === 0) throw new NotFoundError('recallable part', id);
    const page = whole === null ? { id } : pageOf(id, whole, offset);
    const shown = await Promise.all(images.map((image) => imagePart(image, files)));
    return images.length === 0 ? page : richResult(shown, { structured: page });
  },
});

function pageOf(id: string, whole: string, offset: number) {
  const text = pageAt(whole, offset);
  const next = offset + text.length;
  return { id, text, totalChars: whole.length, ...(next < whole.length ? { nextOffset: next } : {}) };
}

async function imagePart({ fileId, ...image }: HistoryImage, files: SessionFiles): Promise<RichPart> {
  const data = await files.read(fileId);
  return data
    ? { type: 'image', data, ...image }
    : { type: 'text', text: `The image ${image.filename} cannot be read any more.` };
}

/** A page that does not end inside a surrogate pair. */
function pageAt(whole: string, offset: number): string {
  const end = offset + PAGE_LENGTH;
  const splitsPair = /[\uD800-\uDBFF]/.test(whole.charAt(end - 1)) && /[\uDC00-\uDFFF]/.test(whole.charAt(end));
  return whole.slice(offset, splitsPair ? end - 1 : end);
}

/** Longest quotation in characters: enough for a preference, too short for long texts. */
const MAX_QUOTE = 1_000;

const preferenceJson = ({ id, quote }: Preference) => ({ id, quote });

/**
 * Proposes or removes a preference of the user for this conversation, in the user's words; returns the number of stored
 * preferences, and the list on request.
 */
export const keepInMind = defineTool({
  name: 'keep_in_mind',
  isForEverybody: true,
  description:
    'Propose a lasting wish to keep, which the user confirms in a list. letGo: drop one the user is done with. Neither: list them.',
  input: z.strictObject({
    quote: z.string().min(1).max(MAX_QUOTE).optional().describe('word for word'),
    letGo: nameInput(MAX_QUOTE).optional().describe('quote or kep_...'),
  }),
  writes: true,
  exemptFromPruning: true,
  async execute({ quote, letGo }, { wishes }) {
    const gone = quote === undefined && letGo !== undefined ? await wishes.letGo(letGo) : null;
    const words = quote === undefined ? undefined : await wishes.keep(quote, letGo);
    const kept = await wishes.list();
    const count = kept.length;
    if (gone !== null) return { letGo: preferenceJson(gone), count };
    if (words === undefined) return { kept: kept.map(preferenceJson), count };
    return { kept: kept.filter((wish) => sameQuote(wish.quote, words)).map(preferenceJson), count };
  },
});

/** Default and largest number of hits: as many as fit into the tokens are shown. */
const DEFAULT_HITS = 30;
/** Tokens of all hits together with what surrounds them. A fifth of the usable tokens of a window of 16,000. */
const HITS_TOKENS = 2_500;

/**
 * Limits of one page: messages, characters including its JSON, and characters of each text in it. About 1,600 tokens.
 */
const PAGE_MESSAGES = 40;
const PAGE_CHARS = 6_000;
/** Largest number of lines per message. */
const MESSAGE_LINES = 20;
const LINE_CHARS: Readonly<Record<HistoryLine['kind'], number>> = { text: 1_500, 'tool-call': 200, 'tool-result': 200 };

/** Full-text search over the messages and tool calls in this session before this turn, and reading on from a hit. */
export const searchHistory = defineTool({
  name: 'search_history',
  isForEverybody: true,
  description:
    'Search this conversation before this request, also what is no longer shown: hits with the messages around them. from: read on from that message instead.',
  input: z.strictObject({
    query: z.string().max(500).optional().describe('words'),
    limit: z.int().min(1).max(DEFAULT_HITS).optional().describe(`default ${DEFAULT_HITS}`),
    from: z.int().min(0).optional().describe('message number'),
  }),
  async execute({ query, limit, from }, { history }) {
    if (from !== undefined) return readPage(history, from, limit ?? PAGE_MESSAGES);
    if (query === undefined)
      throw new InvalidInputError('Give words to search for (query), or a message to read from.');
    const passages = await history.search(query, limit ?? DEFAULT_HITS, HITS_TOKENS);
    return { hits: passages.map((lines) => lines.map(passageJson)) };
  },
});

/** A line of a passage; if it is cut, it includes the id by which the rest can be read. */
const passageJson = ({ partId, seq, role, toolName, text, isCut }: PassageLine): JsonValue => ({
  message: seq,
  ...(isCut && { id: partId }),
  ...(toolName === undefined ? { role } : { in: toolName }),
  text,
});

/** A page of whole messages of the session from a message on, at most `limit`, with the number of the next one. */
async function readPage(history: HistoryReader, from: number, limit: number): Promise<JsonValue> {
  const shown: JsonValue[] = [];
  const messages = Map.groupBy(await history.readFrom(from, Math.min(limit, PAGE_MESSAGES)), ({ seq }) => seq);
  let chars = 0;
  let last = from;
  for (const [seq, all] of messages) {
    const lines = all.slice(0, MESSAGE_LINES).map(lineJson);
    const { length } = JSON.stringify(lines);
    if (shown.length > 0 && chars + length > PAGE_CHARS) return { messages: shown, next: seq };
    chars += length;
    last = seq;
    shown.push(...lines);
  }
  const isEnd = (await history.readFrom(last + 1, 1)).length === 0;
  return { messages: shown, ...(isEnd ? { note: 'Then comes the request that you work on.' } : { next: last + 1 }) };
}

/** A line of a page; if it is cut, it includes the id by which the rest can be read. */
function lineJson({ partId, seq, role, kind, toolName, text: whole }: HistoryLine): JsonValue {
  const speaker = toolName === undefined ? { role } : { [kind]: toolName };
  const text = oneLine(whole, LINE_CHARS[kind]);
  return { message: seq, ...(text.endsWith('…') && !whole.trim().endsWith('…') && { id: partId }), ...speaker, text };
}
