import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { NOTE_LABEL, splitCoalescedText, STANDING_TAG, SUMMARY_LABEL } from '#server/core/engine-words';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { isFileText } from '#server/core/part-text';
import { normalized } from '#server/models/offline/grammar';
import type { Fields } from '#server/models/offline/requests';
import { listOf, objectOf, type Outcome, textOf } from '#server/models/offline/steps';

/** A call found in the prompt; `outcome` is null until its result is there. */
export interface RecordedCall {
  readonly id: string;
  readonly toolName: string;
  readonly input: Fields;
  readonly outcome: Outcome | null;
}

/** The user's newest request and what was already done for it. */
export interface OpenRequest {
  /** More than one when messages arrived in the middle of the turn. */
  readonly texts: readonly string[];
  /** Something is attached, which this assistant does not read. */
  readonly hasFiles: boolean;
  readonly calls: readonly RecordedCall[];
  /** Answer text that a cut step has already streamed. */
  readonly partial: string;
}

/** All that the prompt tells: nothing else is remembered. */
export interface Conversation {
  /** The site's own standing instructions, as the system messages tell them; empty where there are none. */
  readonly standing: string;
  readonly summary: string | null;
  /** The user's own messages, oldest first. */
  readonly userTexts: readonly string[];
  /** Calls of earlier requests, oldest first. */
  readonly earlier: readonly RecordedCall[];
  readonly open: OpenRequest;
}

/** In a call's error or a note of the engine: the request was cut off, what is left of it is not wanted any more. */
const CUT_OFF = /\b(?:interrupted|cancell?ed|aborted)\b/i;

interface Draft {
  texts: string[];
  hasFiles: boolean;
  calls: RecordedCall[];
  partial: string;
  /** It was answered, or cut off: the next user message is a request of its own. */
  over: boolean;
}

/** Reads a prompt from its first message to its last. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  let summary: string | null = null;
  let standing = '';
  let open: Draft = { texts: [], hasFiles: false, calls: [], partial: '', over: true };
  const userTexts: string[] = [];
  const earlier: RecordedCall[] = [];
  for (const message of prompt) {
    if (message.role === 'system') standing ||= siteInstructions(message.content);
    if (message.role === 'assistant') readAssistant(open, message);
    if (message.role === 'tool') readResults(open, message);
    if (message.role !== 'user') continue;
    const texts = message.content.map((part) => (part.type === 'text' ? part.text : ''));
    const text = texts
      .filter((each) => !isFileText(each))
      .join('\n')
      .trim();
    const hasFiles = texts.some(isFileText);
    if (text.startsWith(SUMMARY_LABEL)) summary = text.slice(SUMMARY_LABEL.length).trim();
    else if (text.startsWith(NOTE_LABEL)) open.over = CUT_OFF.test(text) || (open.over && open.partial === '');
    else {
      userTexts.push(text);
      if (continues(open, text)) {
        open.hasFiles ||= hasFiles;
        continue;
      }
      earlier.push(...open.calls);
      open = { texts: splitCoalescedText(text), hasFiles, calls: [], partial: '', over: false };
    }
  }
  return { summary, standing, userTexts, earlier, open };
}

/** What stands between the marks, if anything. */
function siteInstructions(instructions: string): string {
  const [, from = ''] = instructions.split(`\n<${STANDING_TAG}>\n`);
  return from.split(`\n</${STANDING_TAG}>`)[0] ?? '';
}

/** Whether a user message belongs to the open request: an answer to its question, or more to do in its turn. */
function continues(open: Draft, text: string): boolean {
  const asked = open.calls.at(-1);
  if (open.over) return false;
  if (asked?.toolName !== 'ask_user') {
    open.texts.push(...splitCoalescedText(text));
    return true;
  }
  const chosen = pickOption(listOf(asked.input.options).map(textOf), text);
  if (chosen === null) return false;
  open.calls[open.calls.length - 1] = { ...asked, outcome: { kind: 'done', value: { answer: chosen } } };
  return true;
}

function readAssistant(open: Draft, message: Extract<LanguageModelV4Message, { role: 'assistant' }>): void {
  const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  for (const { toolCallId, toolName, input } of calls) {
    open.calls.push({ id: toolCallId, toolName, input: objectOf(toJson(input)), outcome: null });
  }
  if (calls.length > 0) return;
  open.partial += message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  open.over = true;
}

function readResults(open: Draft, message: Extract<LanguageModelV4Message, { role: 'tool' }>): void {
  for (const part of message.content) {
    if (part.type !== 'tool-result') continue;
    const index = open.calls.findLastIndex((call) => call.id === part.toolCallId);
    const call = open.calls[index];
    if (!call) continue;
    const outcome = outcomeOf(part.output);
    open.calls[index] = { ...call, outcome: call.toolName === 'ask_user' && outcome.kind === 'done' ? null : outcome };
    if (outcome.kind === 'failed' && CUT_OFF.test(outcome.error.slice(0, 200))) open.over = true;
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
      return { kind: 'done', value: output.value.map((part) => (part.type === 'text' ? part.text : '')).join('') };
  }
}

/** Some providers hand structured results back as text; a cleared or cut one stays text. */
function parsed(text: string): JsonValue {
  try {
    return toJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function toJson(value: unknown): JsonValue {
  return jsonValueSchema.safeParse(value).data ?? null;
}

const ORDINAL_WORDS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** The option that an answer chooses, by its text, its number or words that only it has; null where none is meant. */
function pickOption(options: readonly string[], answer: string): string | null {
  const said = normalized(answer);
  if (said === '') return null;
  const exact = options.find((option) => normalized(option) === said);
  if (exact !== undefined) return exact;
  const number = /^(?:the |option |number )?(?:(\d)|(\w+?))(?: one| option)?$/.exec(said);
  const index = number?.[1] === undefined ? ORDINAL_WORDS.indexOf(number?.[2] ?? '') : Number(number[1]) - 1;
  if (options[index] !== undefined) return options[index];
  const words = said.split(' ').filter((word) => !FILLER.has(word));
  const fitting = options.filter((option) => hasWords(normalized(option).split(' '), words));
  return words.length > 0 && fitting.length === 1 ? (fitting[0] ?? null) : null;
}

const FILLER = new Set(['the', 'one', 'please', 'page', 'post', 'with', 'slug', 'i', 'mean', 'meant', 'id']);

/** Whether all `words` are among `all`. */
export function hasWords(all: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => all.includes(word));
}
