import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import {
  MESSAGE_RECEIVED_LABEL,
  NOTE_LABEL,
  RESULTS_RECEIVED_LABEL,
  SUMMARY_LABEL,
  TURN_ENDED_LABEL,
} from '#server/core/conversation/labels';
import { ownWords } from '#server/core/conversation/added-text';
import { SUMMARY_SECTIONS } from '#server/core/conversation/summary-sections';
import { STANDING_TAG } from '#server/core/site/standing-text';
import { isFileText } from '#server/core/conversation/part-text';
import { splitCoalescedText } from '#server/core/conversation/coalesced-text';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { hasWords, isStanding, normalized, splitClauses, valueOf } from '#server/models/offline/clauses';
import { type Call, isWrite, listOf, objectOf, type Outcome, textOf } from '#server/models/offline/work';
import { recordOf } from '#server/models/offline/replies';

/** A call found in the prompt; `outcome` is null until its result is in the prompt. */
export interface RecordedCall extends Call {
  readonly id: string;
  readonly outcome: Outcome | null;
}

/** The user's newest request and what was done for it. */
interface OpenRequest {
  /** More than one if messages arrived in the middle of the turn. */
  readonly texts: string[];
  hasFiles: boolean;
  /** The section that the user has selected on the page, and its page or post. */
  chosen: { readonly sectionId: string; readonly entry: string } | null;
  readonly calls: RecordedCall[];
  /** Answer text that an interrupted step has already streamed. */
  partial: string;
  /** Answered or cut off: the next user message is a separate request. */
  isOver: boolean;
}

/** Everything that the prompt contains. */
export interface Conversation {
  /** The site's standing instructions from the system message; empty if it has none. */
  readonly standing: string;
  readonly summary: string | null;
  /** The user's own messages, oldest first. */
  readonly userTexts: readonly string[];
  /** Calls of earlier requests, oldest first. */
  readonly earlier: readonly RecordedCall[];
  readonly open: Readonly<OpenRequest>;
}

/** State from which a request is answered. */
export interface Scene {
  readonly conversation: Conversation;
  /** Id or name of the page or post mentioned last: the meaning of "it". */
  last: string | null;
  /** True if a tool is offered. */
  isOffered(toolName: string): boolean;
  /** True if the next write of this request is already done and its result is no longer in the prompt. */
  nextWriteIsLost(): boolean;
}

/** In a call's error or a note of the engine: the request was cut off, and the rest of it is no longer wanted. */
const CUT_OFF = /\b(?:interrupted|cancell?ed|aborted)\b/i;

const SITE_INSTRUCTIONS = new RegExp(`\n<${STANDING_TAG}>\n(.*?)\n</${STANDING_TAG}>`, 's');

/** Reads a prompt from its first message to its last. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  let summary: string | null = null;
  let standing = '';
  let open: OpenRequest = { texts: [], hasFiles: false, chosen: null, calls: [], partial: '', isOver: true };
  const userTexts: string[] = [];
  const earlier: RecordedCall[] = [];
  for (const message of prompt) {
    if (message.role === 'system') standing ||= SITE_INSTRUCTIONS.exec(message.content)?.[1] ?? '';
    if (message.role === 'assistant') readAssistant(open, message);
    if (message.role === 'tool') readResults(open, message);
    if (message.role !== 'user') continue;
    const texts = textsOf(message.content);
    const hasFiles = texts.some(isFileText);
    // One message may contain several that were sent one after the other.
    const own = texts
      .filter((each) => !isFileText(each))
      .flatMap((each) => {
        const words = ownWords(each);
        return words === '' && each.trim() !== '' ? [] : [words];
      });
    // The message contains information from the app only, and no text from the user.
    if (own.length === 0 && !hasFiles && texts.length > 0) continue;
    for (const text of own.length === 0 ? [''] : own) {
      if (text.startsWith(SUMMARY_LABEL)) summary = text.slice(SUMMARY_LABEL.length).trim();
      else if (text.startsWith(NOTE_LABEL)) open.isOver = CUT_OFF.test(text) || (open.isOver && open.partial === '');
      else {
        userTexts.push(text);
        if (continues(open, text)) continue;
        earlier.push(...open.calls);
        open = {
          texts: splitCoalescedText(text),
          hasFiles: false,
          chosen: null,
          calls: [],
          partial: '',
          isOver: false,
        };
      }
    }
    open.hasFiles ||= hasFiles;
    open.chosen = texts.map(chosenIn).findLast((found) => found !== null) ?? open.chosen;
  }
  return { summary, standing, userTexts, earlier, open };
}

const CHOSEN = /^Chosen by the user on the page: section (\S+) \(.*\) of ([^\s.]+)\./m;

/** The user's selection according to a text of the app; null for the user's own text. */
function chosenIn(text: string): OpenRequest['chosen'] {
  const [, sectionId, entry] = (ownWords(text) === text ? null : CHOSEN.exec(text)) ?? [];
  return sectionId === undefined || entry === undefined ? null : { sectionId, entry };
}

/**
 * Adds a user message to the open request: an answer to its question, or a further request. False: it starts a new
 * request.
 */
function continues(open: OpenRequest, text: string): boolean {
  const asked = open.calls.at(-1);
  if (open.isOver) return false;
  if (asked?.toolName !== 'ask_user') {
    open.texts.push(...splitCoalescedText(text));
    return true;
  }
  const chosen = pickOption(listOf(asked.input.options).map(textOf), text);
  if (chosen === null) return false;
  open.calls[open.calls.length - 1] = { ...asked, outcome: { kind: 'done', value: { answer: chosen } } };
  return true;
}

function readAssistant(open: OpenRequest, message: Extract<LanguageModelV4Message, { role: 'assistant' }>): void {
  const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  for (const { toolCallId, toolName, input } of calls) {
    open.calls.push({ id: toolCallId, toolName, input: objectOf(toJson(input)), outcome: null });
  }
  const said = textsOf(message.content).join('');
  if (calls.length > 0 || [RESULTS_RECEIVED_LABEL, MESSAGE_RECEIVED_LABEL, TURN_ENDED_LABEL].includes(said)) return;
  open.partial += said;
  open.isOver = true;
}

function readResults(open: OpenRequest, message: Extract<LanguageModelV4Message, { role: 'tool' }>): void {
  for (const part of message.content) {
    if (part.type !== 'tool-result') continue;
    const index = open.calls.findLastIndex((call) => call.id === part.toolCallId);
    const call = open.calls[index];
    if (!call) continue;
    const outcome = outcomeOf(part.output);
    open.calls[index] = { ...call, outcome: call.toolName === 'ask_user' && outcome.kind === 'done' ? null : outcome };
    if (outcome.kind === 'failed' && CUT_OFF.test(outcome.error.slice(0, 200))) open.isOver = true;
  }
}

function outcomeOf(output: LanguageModelV4ToolResultOutput): Outcome {
  switch (output.type) {
    case 'json':
      return { kind: 'done', value: toJson(output.value) };
    case 'text':
      return { kind: 'done', value: parsed(output.value) };
    case 'error-text':
      return { kind: 'failed', error: output.value };
    case 'error-json':
      return { kind: 'failed', error: textOf(objectOf(toJson(output.value)).message) || JSON.stringify(output.value) };
    case 'execution-denied':
      return { kind: 'denied', reason: output.reason ?? 'You did not approve it.' };
    case 'content':
      return { kind: 'done', value: textsOf(output.value).join('') };
  }
}

/** Some providers return structured results as text; a cleared or cut result stays text. */
function parsed(text: string): JsonValue {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function textsOf(parts: readonly { readonly type: string; readonly text?: string }[]): string[] {
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
}

function toJson(value: unknown): JsonValue {
  return jsonValueSchema.safeParse(value).data ?? null;
}

/** Ordinals for positions in a list. */
export const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

const FILLER = new Set(['the', 'one', 'please', 'page', 'post', 'with', 'slug', 'i', 'mean', 'meant', 'id']);

/**
 * The option that an answer chooses, by its text, its number or words that occur in no other option; null if it chooses
 * none.
 */
function pickOption(options: readonly string[], answer: string): string | null {
  const said = normalized(answer);
  const exact = options.find((option) => normalized(option) === said);
  if (exact !== undefined) return exact;
  const number = /^(?:the |option |number )?(?:(\d)|(\w+?))(?: one| option)?$/.exec(said);
  const index = number?.[1] === undefined ? ORDINALS.indexOf(number?.[2] ?? '') : Number(number[1]) - 1;
  if (options[index] !== undefined) return options[index];
  const words = said.split(' ').filter((word) => word !== '' && !FILLER.has(word));
  const fitting = options.filter((option) => hasWords(option, words));
  return words.length > 0 && fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** Only these headings end a section of a summary: a request quoted in it may contain other headings. */
const HEADINGS: ReadonlySet<string> = new Set(SUMMARY_SECTIONS.map(normalized));

/** The answer to "what did I ask first?". */
export function firstRequest({ summary, userTexts }: Conversation): string {
  const first = sectionPlainText(summary, 'Original Task') || userTexts[0];
  return first === undefined ? 'I see no request of yours.' : `Your first request was:\n${first}`;
}

/** Maximum lines of each part of the answer: earlier ones are only counted, so that the answer stays readable. */
const MAX_LISTED_LINES = 60;

/** The answer to "what have we done so far?": what the summary contains, then what the visible results show. */
export function doneSoFar({ summary, earlier, open }: Conversation): string {
  const before = sectionPlainText(summary, 'What Was Accomplished');
  const since = [...earlier, ...open.calls].flatMap(({ outcome, ...call }) =>
    isWrite(call.toolName) && outcome?.kind === 'done' ? [`- ${recordOf({ ...call, outcome })}`] : [],
  );
  const parts = [
    ...(before === '' ? [] : [`From the summary of our earlier conversation:\n${newest(before.split('\n'))}`]),
    ...(since.length === 0 ? [] : [`${before === '' ? 'So far' : 'Since then'}:\n${newest(since)}`]),
  ];
  return parts.join('\n\n') || 'Nothing has been changed in this conversation so far.';
}

function newest(lines: readonly string[]): string {
  const others = lines.length - MAX_LISTED_LINES;
  return [...(others > 0 ? [`(${others} lines before these)`] : []), ...lines.slice(-MAX_LISTED_LINES)].join('\n');
}

/** The answer to "what are my standing instructions?": those of the conversation, then those of the site. */
export function standingInstructions({ summary, userTexts, standing }: Conversation): string {
  const standingOf = (text: string) => splitClauses(text).filter((clause) => isStanding(clause.text));
  const kept = sectionPlainText(summary, 'User Preferences').split(/^[-*] |\n/m);
  const lines = kept.map((line) => line.trim().replace(/^"(.*)"$/, '$1'));
  const texts = [
    ...lines.filter((line) => standingOf(line).length > 0),
    ...[...wordsInRecord(summary), ...userTexts].flatMap(standingOf).map(({ text, quotes }) => valueOf(text, quotes)),
  ];
  const unique = [...new Map(texts.map((text) => [normalized(text), `- ${text}`])).values()];
  const parts = [
    ...(unique.length === 0 ? [] : [['Your standing instructions:', ...unique].join('\n')]),
    ...(standing === '' ? [] : [`The standing instructions of this site:\n${standing}`]),
  ];
  return parts.join('\n\n') || 'You have not given me any standing instructions that I can still see.';
}

/** The user's words in a summary, also of an earlier version, line by line, without the lines about what was done. */
function wordsInRecord(summary: string | null): string[] {
  const record = sectionPlainText(summary, 'What Was Accomplished').split('\n');
  return record.filter((line) => !line.startsWith('- ')).map((line) => line.replace(/^\d+(?:\. User)?: /, ''));
}

function sectionPlainText(summary: string | null, heading: (typeof SUMMARY_SECTIONS)[number]): string {
  const lines = (summary ?? '').split('\n');
  const isHeading = (line: string) => /^#{2,3} /.test(line) && HEADINGS.has(normalized(line));
  const start = lines.findIndex((line) => isHeading(line) && normalized(line) === normalized(heading));
  if (start === -1) return '';
  const end = lines.findIndex((line, index) => index > start && isHeading(line));
  return lines
    .slice(start + 1, end === -1 ? undefined : end)
    .join('\n')
    .trim();
}
