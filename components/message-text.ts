import { currentLanguage } from '#components/language.ts';
import type { CodedMessage } from '#server/core/coded-message';
import { isCodedMessage, type NotesOfWrite, textsOfNotes } from '#server/core/message-data';
import { type MessageRenderer, messageRenderer } from '#server/core/messages/render-message';
import { fieldText, sectionTypeText } from '#server/core/site/field-names';

/* Sentences of the server in the current language, by their code. */

/** A sentence by its code; without one, as older rows have it, its English text. */
export function localizedText(message: CodedMessage | null | undefined, text: string): string {
  return rendered(message) ?? text;
}

/** The reason for a refusal, by its code in the response, else its English text. */
export function refusalText(reason: unknown, message: string): string {
  const coded = isCodedMessage(reason) ? rendered(reason) : null;
  return coded ?? message;
}

/** The notes in the result of a write. */
export function noteTexts(result: NotesOfWrite): string[] {
  return textsOfNotes(result).map((note) => localizedText(note, note.text));
}

/** A change of the site, or another step that can be undone, with its summary. */
export interface Summarized {
  readonly summary: string;
  readonly summaryMessage: CodedMessage | null;
}

/** The summary of a change of the site, or of a step that can be undone. */
export function summaryText({ summary, summaryMessage }: Summarized): string {
  return localizedText(summaryMessage, summary);
}

/**
 * The name of a field or site setting within a sentence.
 * @param otherwise its name where it has no translation. Default: from its key
 */
export function fieldInWords(field: string, otherwise?: string): string {
  const { text, ...message } = fieldText(field);
  return rendered(message) ?? otherwise ?? text;
}

/** The name of a type of section within a sentence. */
export function sectionInWords(type: string): string {
  const { text, ...message } = sectionTypeText(type);
  return rendered(message) ?? text;
}

/** Renderers of the sentences, by the messages: a server renders pages in several languages. */
const renderers = new Map<object, MessageRenderer>();

/** Null in English, whose text is stored with each sentence. */
function rendered(message: CodedMessage | null | undefined): string | null {
  const { code, messages } = currentLanguage();
  if (code === 'en' || messages === null || !message) return null;
  const render = renderers.get(messages) ?? messageRenderer(code, messages.server);
  renderers.set(messages, render);
  return render(message);
}
