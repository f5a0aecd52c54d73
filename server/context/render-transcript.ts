import { shownInput } from '#server/context/excerpt';
import type { Summarizer } from '#server/context/ports';
import type { EngineSettings } from '#server/context/settings/context-settings';
import { LOADING_TOOLS } from '#server/context/record/record';
import { countTokens } from '#server/context/tokens';
import { declinedText, prunedOutputText } from '#server/context/view';
import { createYielder } from '#server/core/async';
import { addedText } from '#server/core/conversation/added-text';
import type { Message } from '#server/core/conversation/messages';
import { type ToolOutput, toolOutputText } from '#server/core/conversation/part-types/tool-output';
import { definitionOf, type Part } from '#server/core/conversation/parts';
import { excerptTokens, withoutMiddle, type CountTokens } from '#server/core/text/excerpt';

/** Lengths of texts and of tool inputs and outputs for the summarizer. */
type Cut = Readonly<Record<'text' | 'tool', number>>;

/**
 * Multiples of the usual lengths, longest first. Tool outputs are cut before texts; the last step leaves one line of
 * each.
 */
const CUTS: readonly Cut[] = [
  { text: 4, tool: 8 },
  { text: 4, tool: 3 },
  { text: 1, tool: 1 },
  { text: 1, tool: 0.32 },
  { text: 0.3, tool: 0.16 },
  { text: 0.06, tool: 0.08 },
];

/** Limits of what the summarizer reads, its window and its tokenizer. `withIds`: each message shows its id, for a reader that selects messages. */
type TranscriptOptions = Pick<
  EngineSettings,
  'transcriptMessageChars' | 'transcriptToolChars' | 'transcriptPreviousShare'
> &
  Pick<Summarizer, 'inputTokens' | 'count'> & { readonly withIds: boolean };

/** Tokens of the tags around the transcript and of the separators between blocks. */
const FRAME_TOKENS = 30;

/**
 * The record that code writes and the last narrative of a model. `older`: ids of messages whose following messages are
 * missing.
 */
type KnownBefore = { readonly record: string; readonly narrative: string | null; readonly older?: ReadonlySet<string> };

/** Marks where messages are missing. */
const GAP = '[what followed is left out here: the record and the previous notes tell of it]';

/**
 * The input of the summarizer as quoted data: the record, the previous narrative, and the messages as the view shows
 * them, cut as little as its window allows. If they do not fit even then, the newest are kept. Files are only named.
 */
export async function renderTranscript(
  messages: readonly Message[],
  { record, narrative, older = new Set() }: KnownBefore,
  { inputTokens, count = countTokens, withIds, ...settings }: TranscriptOptions,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const yieldIfDue = createYielder();
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
      await yieldIfDue();
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

/** The newest messages that fit; counts only as far as necessary. A newest message that is too large on its own, with many calls, is cut. */
async function newestThatFit(rendered: readonly string[], room: number, count: CountTokens): Promise<string[]> {
  const yieldIfDue = createYielder();
  const shown: string[] = [];
  let left = room;
  for (const text of rendered.toReversed()) {
    await yieldIfDue();
    left -= count(text) + 1;
    if (left < 0) return shown.length > 0 ? shown.toReversed() : [fitQuote(text, room, count)];
    shown.push(text);
  }
  return shown.toReversed();
}

/** A quote whose text is cut to fit. */
function fitQuote(quoted: string, tokens: number, count: CountTokens): string {
  if (count(quoted) <= tokens) return quoted;
  const [opening = '', ...lines] = quoted.split('\n');
  const closing = lines.pop() ?? '';
  const room = tokens - 1 - count(`${opening}\n\n${closing}`);
  return [opening, excerptTokens(lines.join('\n'), room, count), closing].join('\n');
}

/** A message as a quote; nothing for one without content. */
function renderMessage({ id, role, status, parts }: Message, cut: Cut, withIds: boolean): string[] {
  const lines = parts.map((part) => renderPart(part, cut)).filter((line) => line !== '');
  if (lines.length === 0) return [];
  const outcome = status === 'complete' ? [] : [`[${status}]`];
  return [quote(role, [...lines, ...outcome].join('\n'), withIds ? id : undefined)];
}

/** A text without its middle. The reader cannot recall it, so the number of characters is not stated. */
const shortened = (text: string, chars: number) => withoutMiddle(text, chars, '[middle left out]');

/** A part as a line; empty if the reader does not need it. */
function renderPart(part: Part, cut: Cut): string {
  if ('toolName' in part.content && LOADING_TOOLS.has(part.content.toolName)) return '';
  if (part.type === 'tool-call')
    return `calls ${part.content.toolName} ${shortened(JSON.stringify(shownInput(part)), cut.tool)}`;
  if (part.type === 'tool-result')
    return `result of ${part.content.toolName}: ${shortened(
      part.compactedAt === null ? outputText(part.content.output) : prunedOutputText(part),
      cut.tool,
    )}`;
  const { added, summaryText } = definitionOf(part.type);
  if (added?.isSummarized) return shortened(addedText(part) ?? '', cut.text);
  return summaryText?.(part.content, (text) => shortened(text, cut.text)) ?? '';
}

/** Text of an output. The reason of a declined call alone would read like an answer of the tool. */
const outputText = (output: ToolOutput) =>
  output.type === 'execution-denied' ? declinedText(output.reason ?? '') : toolOutputText(output);

/** Matches the opening bracket of anything that could pass for one of our tags, in any spelling. */
const TAG_OPENING =
  /<(?=[\s\p{Cf}]{0,10}\/?[\s\p{Cf}]{0,10}(?:transcript|user|assistant|tool|system|record|previous[-_ ]?notes)(?![a-z]))/giu;

/** A quote between tags; its text cannot close its own quote or open another. */
function quote(tag: string, text: string, id?: string): string {
  const safe = text.replaceAll(TAG_OPENING, '‹');
  return `<${tag}${id === undefined ? '' : ` id="${id}"`}>\n${safe}\n</${tag}>`;
}
