import type { JsonValue } from '#server/core/json';
import type { CodedMessage, ServerText } from '#server/core/coded-message';

/* Sentences as data, also for code that runs in the browser: this module needs no schema. */

/** Code of a sentence that has none of its own; its English text is all there is. */
const UNCODED = 'note';

/** A sentence without a code of its own, from a part of the server that has no codes yet. */
export function uncodedText(text: string): ServerText {
  return { code: UNCODED, params: { text }, text };
}

/**
 * A sentence for modules that the browser loads, too, without the messages of the server: the English text is given. A
 * test compares it with the messages.
 */
export function inlineText(code: string, params: Readonly<Record<string, unknown>>, text: string): ServerText {
  return { code, params: params as Record<string, JsonValue>, text };
}

/** The data of a sentence as stored beside its text; null without a code of its own. */
export function messageOfText({ code, params }: ServerText): CodedMessage | null {
  return code === UNCODED ? null : { code, params };
}

/** A stored sentence, with the data stored beside it; null: it has none. */
export function textFromRow(text: string, message: CodedMessage | null): ServerText {
  return message === null ? uncodedText(text) : { ...message, text };
}

/** A name as rows store it: its text, and its data if the words are ours. */
export function nameFields(name: string | ServerText): {
  readonly text: string;
  readonly message: CodedMessage | null;
} {
  return typeof name === 'string' ? { text: name, message: null } : { text: name.text, message: messageOfText(name) };
}

/** The same sentence with other strings in its text and parameters, for example without secrets. */
export function mapStrings({ code, params, text }: ServerText, change: (text: string) => string): ServerText {
  const changed = (param: JsonValue): JsonValue => {
    if (typeof param === 'string') return change(param);
    if (Array.isArray(param)) return param.map(changed);
    return isServerText(param) ? { ...mapStrings(param, change) } : param;
  };
  const entries = Object.entries(params).map(([name, param]) => [name, changed(param)] as const);
  return { code, params: Object.fromEntries(entries), text: change(text) };
}

/** An error as events and rows carry it: its text, and its data. */
export function errorFields(error: ServerText | null) {
  return { error: error && error.text, errorMessage: error && messageOfText(error) };
}

/** A warning as reports carry it: its text, and its data if there is one. */
export function warningFields(warning: ServerText | null) {
  const message = warning && messageOfText(warning);
  return { warning: warning && warning.text, ...(message && { warningMessage: message }) };
}

/** True for a value in the form of a coded message, for example a parameter that is a sentence itself. */
export function isCodedMessage(value: unknown): value is CodedMessage {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('params' in value)) return false;
  return typeof value.code === 'string' && typeof value.params === 'object' && value.params !== null;
}

/** Notes of a write as its result contains them: the texts, and their data in the same order. */
export interface NotesOfWrite {
  readonly notes?: readonly string[] | undefined;
  readonly noteMessages?: readonly CodedMessage[] | undefined;
}

/** Notes for the result of a write, without repetitions; empty if there are none. */
export function notesFrom(texts: readonly ServerText[]): NotesOfWrite {
  if (texts.length === 0) return {};
  const distinct = distinctTexts(texts);
  return {
    notes: distinct.map(({ text }) => text),
    noteMessages: distinct.map(({ code, params }) => ({ code, params })),
  };
}

/** The notes of a result as sentences. */
export function textsOfNotes({ notes = [], noteMessages = [] }: NotesOfWrite): ServerText[] {
  return notes.map((text, index) => textFromRow(text, noteMessages[index] ?? null));
}

/** True for a sentence with its text, as a parameter of another. */
export function isServerText(value: unknown): value is ServerText {
  return isCodedMessage(value) && 'text' in value && typeof value.text === 'string';
}

/** The codes in a sentence: its own, and those of the sentences in its parameters and in lists there. */
export function codesIn({ code, params }: CodedMessage): string[] {
  const parts = Object.values(params).flatMap((param) => (Array.isArray(param) ? param : [param]));
  return [code, ...parts.flatMap((part) => (isCodedMessage(part) ? codesIn(part) : []))];
}

/** The sentences without repetitions. */
export function distinctTexts(texts: readonly ServerText[]): ServerText[] {
  return [...new Map(texts.map((each) => [each.text, each])).values()];
}
