import { z } from 'zod';
import { excerptTokens, shownInput, withoutMiddle } from '#server/context/excerpt';
import { blocksOf, type CompactionPlan, headOf, type ModelResult, rawTokens } from '#server/context/strategies';
import type { Summarizer } from '#server/context/ports';
import type { EngineSettings } from '#server/context/settings/context-settings';
import { LOADING_TOOLS } from '#server/context/record';
import { type CountTokens, countTokens } from '#server/context/tokens';
import { declinedText, prunedOutputText } from '#server/context/view';
import { createBreathing } from '#server/core/async';
import { selectionText } from '#server/core/engine-words';
import { parseJson } from '#server/core/json';
import type { Message } from '#server/core/messages';
import { toolOutputText } from '#server/core/part-text';
import type { Part, ToolOutput } from '#server/core/parts';

/** Lengths of texts and of tools' inputs or outputs for the summarizer. */
type Cut = Readonly<Record<'text' | 'tool', number>>;

/** In multiples of the usual: widest first, tool outputs cut before texts; at last a line of each. */
const CUTS: readonly Cut[] = [
  { text: 4, tool: 8 },
  { text: 4, tool: 3 },
  { text: 1, tool: 1 },
  { text: 1, tool: 0.32 },
  { text: 0.3, tool: 0.16 },
  { text: 0.06, tool: 0.08 },
];

/** Amounts to be read, and the reader; `withIds`: each message shows its id, for a reader who chooses among them. */
type TranscriptOptions = Pick<
  EngineSettings,
  'transcriptMessageChars' | 'transcriptToolChars' | 'transcriptPreviousShare'
> &
  Pick<Summarizer, 'inputTokens' | 'count'> & { readonly withIds: boolean };

/** Tags around the transcript, and what joins the blocks. */
const FRAME_TOKENS = 30;

/** Code's record and a model's last narrative; `older`: ids of messages of which what followed is not among them. */
type KnownBefore = { readonly record: string; readonly narrative: string | null; readonly older?: ReadonlySet<string> };
const GAP = '[what followed is left out here: the record and the previous notes tell of it]';

/**
 * The summarizer's input as quoted data: the record, what it told last time, and the messages as the view shows them,
 * cut as little as its window allows; of what does not fit even so, the newest. Files are named only.
 */
export async function renderTranscript(
  messages: readonly Message[],
  { record, narrative, older = new Set() }: KnownBefore,
  { inputTokens, count = countTokens, withIds, ...settings }: TranscriptOptions,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const breathe = createBreathing();
  const most = Math.floor(inputTokens * settings.transcriptPreviousShare);
  const bounded = (tag: string, text: string) => (text === '' ? [] : [fitQuote(quote(tag, text), most, count)]);
  const known = [...bounded('record', record), ...bounded('previous-notes', narrative ?? '')];
  const room = inputTokens - count(known.join('\n')) - FRAME_TOKENS;
  let shown: string[] = [];
  let missing = 0;
  for (const cut of CUTS) {
    const chars = {
      text: Math.floor(cut.text * settings.transcriptMessageChars),
      tool: Math.floor(cut.tool * settings.transcriptToolChars),
    };
    const rendered: string[] = [];
    for (const [index, message] of messages.entries()) {
      await breathe();
      const isGap = older.has(message.id) && !older.has(messages[index + 1]?.id ?? message.id);
      rendered.push(...renderMessage(message, chars, withIds).map((quoted) => (isGap ? `${quoted}\n${GAP}` : quoted)));
    }
    shown = await newestThatFit(rendered, room, count);
    missing = rendered.length - shown.length;
    if (missing === 0) break;
  }
  const note = missing === 0 ? [] : [`[${missing} older messages are left out here]`];
  const text = [...known, '<transcript>', ...note, ...shown, '</transcript>'].join('\n');
  return { text, isWhole: missing === 0 };
}

/** Counts no further than it has to. A newest one that alone is too large, of many calls at once, is cut. */
async function newestThatFit(rendered: readonly string[], room: number, count: CountTokens): Promise<string[]> {
  const breathe = createBreathing();
  const shown: string[] = [];
  let left = room;
  for (const text of rendered.toReversed()) {
    await breathe();
    left -= count(text) + 1;
    if (left < 0) return shown.length > 0 ? shown.toReversed() : [fitQuote(text, room, count)];
    shown.push(text);
  }
  return shown.toReversed();
}

function fitQuote(quoted: string, tokens: number, count: CountTokens): string {
  if (count(quoted) <= tokens) return quoted;
  const [opening = '', ...lines] = quoted.split('\n');
  const closing = lines.pop() ?? '';
  const room = tokens - 1 - count(`${opening}\n\n${closing}`);
  return [opening, excerptTokens(lines.join('\n'), room, count), closing].join('\n');
}

function renderMessage({ id, role, status, parts }: Message, cut: Cut, withIds: boolean): string[] {
  const lines = parts.map((part) => renderPart(part, cut)).filter((line) => line !== '');
  if (lines.length === 0) return [];
  const outcome = status === 'complete' ? [] : [`[${status}]`];
  return [quote(role, [...lines, ...outcome].join('\n'), withIds ? id : undefined)];
}

/** Cuts out the middle; a reader who cannot ask for it needs no count. */
const shortened = (text: string, chars: number) => withoutMiddle(text, chars, '[middle left out]');

function renderPart(part: Part, cut: Cut): string {
  if ('toolName' in part.content && LOADING_TOOLS.has(part.content.toolName)) return '';
  switch (part.type) {
    case 'text':
      return shortened(part.content.text.trim(), cut.text);
    case 'tool-call':
      return `calls ${part.content.toolName} ${shortened(JSON.stringify(shownInput(part)), cut.tool)}`;
    case 'tool-result':
      return `result of ${part.content.toolName}: ${shortened(
        part.compactedAt === null ? toldOutput(part.content.output) : prunedOutputText(part),
        cut.tool,
      )}`;
    case 'file':
      return `[file ${part.content.filename ?? 'without a name'}, ${part.content.mediaType}]`;
    case 'selection':
      return shortened(selectionText(part.content), cut.text);
    default:
      return '';
  }
}

/** A reason alone would read like an answer of the tool. */
const toldOutput = (output: ToolOutput) =>
  output.type === 'execution-denied' ? declinedText(output.reason ?? '') : toolOutputText(output);

/** Matches the opening bracket of anything that could pass for one of our tags, in any spelling. */
const TAG_OPENING =
  /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}(?:transcript|user|assistant|tool|system|record|previous[-_ ]?notes)(?![a-z]))/giu;

/** Quoted text cannot close its own quote, nor open another. */
function quote(tag: string, text: string, id?: string): string {
  const safe = text.replaceAll(TAG_OPENING, '‹');
  return `<${tag}${id === undefined ? '' : ` id="${id}"`}>\n${safe}\n</${tag}>`;
}

/** Answer of the pruning agent: the ids of the messages that stay, and a summary of the others. */
const prunedConversationSchema = z.object({
  prunedConversation: z.array(z.object({ id: z.string() })),
  summary: z.string().trim().min(1),
  originalTokens: z.number().positive(),
  prunedTokens: z.number().min(0),
});

/**
 * The plan with the agent's choice of what stays behind the summary. Null when the answer breaks a rule: no valid JSON,
 * an unknown id, a call parted from its result, or more verbatim tokens (our vocabulary) kept than `roomTokens`.
 */
export function applyPrunedConversation(answer: string, plan: CompactionPlan, roomTokens: number): ModelResult | null {
  const bare = answer
    .trim()
    .replace(/^```(?:json)?\s*/i, '')
    .replace(/```$/, '');
  const parsed = prunedConversationSchema.safeParse(parseJson(bare));
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
