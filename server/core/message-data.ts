import type { CodedMessage, ServerText } from '#server/core/coded-message';

/* Sentences as data, also for code that runs in the browser: this module needs no schema. */

/** Code of a sentence that has none of its own; its English text is all there is. */
const UNCODED = 'note';

/** A sentence without a code of its own, from a part of the server that has no codes yet. */
export function uncodedText(text: string): ServerText {
  return { code: UNCODED, params: { text }, text };
}

/** The data of a sentence as stored beside its text; null without a code of its own. */
export function messageOfText({ code, params }: ServerText): CodedMessage | null {
  return code === UNCODED ? null : { code, params };
}

/** An error as events and rows carry it: its text, and its data. */
export function errorFields(error: ServerText | null) {
  return { error: error && error.text, errorMessage: error && messageOfText(error) };
}

/** True for a value in the form of a coded message, for example a parameter that is a sentence itself. */
export function isCodedMessage(value: unknown): value is CodedMessage {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('params' in value)) return false;
  return typeof value.code === 'string' && typeof value.params === 'object' && value.params !== null;
}

/** The codes in a sentence: its own, and those of the sentences in its parameters. */
export function codesIn({ code, params }: CodedMessage): string[] {
  return [code, ...Object.values(params).flatMap((param) => (isCodedMessage(param) ? codesIn(param) : []))];
}

/** The sentences without repetitions. */
export function distinctTexts(texts: readonly ServerText[]): ServerText[] {
  return [...new Map(texts.map((each) => [each.text, each])).values()];
}
