import { z } from 'zod';
import { LEDGER_HEADING } from '#server/context/compose-summary';
import { excerpt, excerptTokens } from '#server/context/excerpt';
import { blocksOf, type CompactionPlan, headOf, rawTokens } from '#server/context/plan-compaction';
import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';
import type { ModelResult } from '#server/context/strategies';
import { type CountTokens, countTokens } from '#server/context/tokens';
import { createBreathing } from '#server/core/breathe';
import { selectionText } from '#server/core/engine-words';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import type { Part } from '#server/core/parts';

/** How much of a text and of a tool's input or output the summarizer reads, in characters. */
interface Cut {
  readonly text: number;
  readonly tool: number;
}

/** Times the usual cut, which is the third. Widest first, tool outputs cut before texts. */
const CUTS: readonly Cut[] = [
  { text: 4, tool: 8 },
  { text: 4, tool: 3 },
  { text: 1, tool: 1 },
  { text: 1, tool: 0.32 },
  { text: 0.3, tool: 0.16 },
];

/** A line of each, where even the shortest cut asks for too many calls; characters. */
const LEAST_CUT: Cut = { text: 120, tool: 40 };

type Breathe = ReturnType<typeof createBreathing>;

type TranscriptSettings = Pick<
  ContextSettings,
  'transcriptMessageChars' | 'transcriptToolChars' | 'transcriptPreviousShare'
>;

export interface TranscriptOptions {
  /** Each message shows its id, for a reader who chooses among them. Default: no. */
  readonly withIds?: boolean;
  /** How much is read of what. Default: the defaults. */
  readonly settings?: TranscriptSettings;
  /** How its reader counts. Default: in the stored vocabulary. */
  readonly count?: CountTokens | undefined;
  /** How many strings it may become; where that is too few for all, the oldest messages are left out. Default: any. */
  readonly mostChunks?: number;
}

/** However small the window: room for a message or two. */
const LEAST_CHUNK_TOKENS = 200;

/**
 * The summarizer's input as quoted data: the previous summary, then every message, cut as little as its window allows.
 * One string where all of it fits at some cut; else several, each to be summarized after the other with the summary so
 * far in front (`withSummarySoFar`). Every message that has something to read is in exactly one of them. Files are
 * named, never included. Where `mostChunks` are too few, messages are cut to a line, then the oldest left out. Of a
 * long conversation that is a lot to count: others are let through meanwhile.
 * @param tokens what the summarizer's window has for it, as `count` counts
 */
export async function renderTranscript(
  messages: readonly Message[],
  previousSummary: string | null,
  tokens: number,
  { withIds = false, settings = defaultSettings, count = countTokens, mostChunks = Infinity }: TranscriptOptions = {},
): Promise<readonly string[]> {
  const breathe = createBreathing();
  const cuts = cutsBy(settings);
  const forPrevious = Math.floor(tokens * settings.transcriptPreviousShare);
  const previous = previousSummary === null ? null : quotePrevious(withoutLedger(previousSummary), forPrevious, count);
  const whole = tokens - (previous === null ? 0 : count(previous) + 1);
  for (const cut of cuts) {
    const rendered = await renderMessages(messages, cut, withIds, breathe);
    if (await fitsInto(whole, rendered, count, breathe)) return [join(previous, rendered)];
  }
  const room = Math.max(LEAST_CHUNK_TOKENS, tokens - forPrevious - 1);
  const chunkedBy = async (cut: Cut, most?: number) =>
    chunked(await renderMessages(messages, cut, withIds, breathe), room, count, breathe, most);
  let usual: string[][] | null = null;
  for (const cut of cuts) {
    // As few as the shortest cut needs, each message cut no more than that number asks for.
    const option = await chunkedBy(cut, Math.min(mostChunks, usual === null ? Infinity : usual.length - 1));
    usual = option ?? usual;
  }
  const chunks = usual ?? newest((await chunkedBy(LEAST_CUT)) ?? [], mostChunks);
  return chunks.map((chunk, index) => join(index === 0 ? previous : null, chunk));
}

/** A later piece of the transcript with what the pieces before it came to, quoted in front. */
export function withSummarySoFar(summary: string, chunk: string): string {
  return join(quote('previous-summary', summary), [chunk]);
}

function join(previous: string | null, rendered: readonly string[]): string {
  return [...(previous === null ? [] : [previous]), ...rendered].join('\n');
}

function cutsBy({ transcriptMessageChars, transcriptToolChars }: TranscriptSettings): Cut[] {
  return CUTS.map(({ text, tool }) => ({
    text: Math.floor(text * transcriptMessageChars),
    tool: Math.floor(tool * transcriptToolChars),
  }));
}

/** The last of the chunks, told how much is missing in front of them. */
function newest(chunks: readonly string[][], most: number): string[][] {
  const [first = [], ...rest] = chunks.slice(-most);
  const missing = chunks.slice(0, -most).flat().length;
  return [missing === 0 ? first : [`[${missing} older messages are left out here]`, ...first], ...rest];
}

/** Null: they are more than `most`. */
async function chunked(
  rendered: readonly string[],
  room: number,
  count: CountTokens,
  breathe: Breathe,
  most = Infinity,
): Promise<string[][] | null> {
  const chunks: string[][] = [];
  let left = 0;
  for (const text of rendered) {
    await breathe();
    const cost = count(text) + 1;
    const current = chunks.at(-1);
    if (current && cost <= left) {
      current.push(text);
      left -= cost;
    } else {
      if (chunks.length === most) return null;
      // A message larger than a whole chunk, of many calls at once, is cut to one.
      const fitted = cost <= room ? text : fitQuote(text, room, count);
      chunks.push([fitted]);
      left = room - count(fitted) - 1;
    }
  }
  return chunks;
}

function fitQuote(quoted: string, tokens: number, count: CountTokens): string {
  const lines = quoted.split('\n');
  const [opening = '', closing = ''] = [lines[0], lines.at(-1)];
  const body = lines.slice(1, -1).join('\n');
  const room = tokens - 1 - count(`${opening}\n\n${closing}`);
  return [opening, excerptTokens(body, room, undefined, count), closing].join('\n');
}

async function renderMessages(
  messages: readonly Message[],
  cut: Cut,
  withIds: boolean,
  breathe: Breathe,
): Promise<string[]> {
  const rendered: string[] = [];
  for (const message of messages) {
    await breathe();
    const lines = message.parts.map((part) => renderPart(part, cut)).filter((line) => line !== '');
    if (lines.length === 0) continue;
    const outcome = message.status === 'complete' ? [] : [`[${message.status}]`];
    rendered.push(quote(message.role, [...lines, ...outcome].join('\n'), withIds ? message.id : undefined));
  }
  return rendered;
}

function renderPart(part: Part, cut: Cut): string {
  switch (part.type) {
    case 'text':
      return excerpt(part.content.text.trim(), cut.text);
    case 'tool-call':
      return `calls ${part.content.toolName} ${excerpt(JSON.stringify(part.content.input), cut.tool)}`;
    case 'tool-result':
      return `result of ${part.content.toolName}: ${excerpt(toolOutputText(part.content.output), cut.tool)}`;
    case 'file':
      return `[file ${part.content.filename ?? 'without a name'}, ${part.content.mediaType}]`;
    case 'selection':
      return excerpt(selectionText(part.content), cut.text);
    case 'situation':
    case 'reasoning':
    case 'step-start':
    case 'compaction-marker':
      return '';
  }
}

/** The record that code keeps is not a model's to retell. */
function withoutLedger(summary: string): string {
  const start = summary.lastIndexOf(`\n### ${LEDGER_HEADING}\n`);
  return start === -1 ? summary : summary.slice(0, start).trimEnd();
}

function quotePrevious(summary: string, tokens: number, count: CountTokens): string {
  const quoted = quote('previous-summary', summary);
  return count(quoted) <= tokens ? quoted : fitQuote(quoted, tokens, count);
}

/** Matches the opening bracket of anything that could pass for one of our tags, in any spelling. */
const TAG_OPENING =
  /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}(?:transcript|user|assistant|tool|system|previous[-_ ]?summary)(?![a-z]))/giu;

/** Quoted text cannot close its own quote, nor open another. */
function quote(tag: string, text: string, id?: string): string {
  const safe = text.replaceAll(TAG_OPENING, '‹');
  return `<${tag}${id === undefined ? '' : ` id="${id}"`}>\n${safe}\n</${tag}>`;
}

/** Counts no further than it has to. */
async function fitsInto(
  tokens: number,
  rendered: readonly string[],
  count: CountTokens,
  breathe: Breathe,
): Promise<boolean> {
  let left = tokens;
  for (const text of rendered) {
    await breathe();
    left -= count(text) + 1;
    if (left < 0) return false;
  }
  return true;
}

/** Answer of the pruning agent: the ids of the messages that stay, and a summary of the others. */
const prunedConversationSchema = z.object({
  prunedConversation: z.array(z.object({ id: z.string() })),
  summary: z.string().trim().min(1),
  originalTokens: z.number().positive(),
  prunedTokens: z.number().min(0),
});

/**
 * The plan with the agent's choice: what it keeps of the replaced messages stays behind the summary. Null when the
 * answer breaks a rule: no valid JSON, an unknown id, a call parted from its result, or more kept than fits.
 * @param roomTokens verbatim tokens (our vocabulary) that the plan has room for, its tail included
 */
export function applyPrunedConversation(answer: string, plan: CompactionPlan, roomTokens: number): ModelResult | null {
  const parsed = prunedConversationSchema.safeParse(parseJson(answer));
  if (!parsed.success) return null;
  const { prunedConversation, summary, ...claims } = parsed.data;
  const chosen = new Set(prunedConversation.map(({ id }) => id));
  const all = [...headOf(plan), ...plan.tail];
  if ([...chosen].some((id) => !all.some((message) => message.id === id))) return null;

  const blocks = blocksOf(plan.replaced);
  const isChosen = (message: Message) => chosen.has(message.id);
  if (blocks.some((block) => block.some(isChosen) && !block.every(isChosen))) return null;
  const kept = blocks.filter((block) => block.every(isChosen)).flat();
  const replaced = plan.replaced.filter((message) => !kept.includes(message));
  const keptAfter = [...kept, ...plan.keptAfter].toSorted((a, b) => a.seq - b.seq);
  if (replaced.length === 0 || rawTokens([...keptAfter, ...plan.tail]) > roomTokens) return null;
  return { plan: { ...plan, replaced, keptAfter }, text: summary, claims };
}

/** Models like to wrap JSON in a code fence. */
function parseJson(text: string): unknown {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*/i, '')
    .replace(/```$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    return null;
  }
}
