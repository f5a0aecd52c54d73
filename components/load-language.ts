import type { Language } from '#components/language.ts';
import type { LanguageCode } from '#server/core/languages';
import { loadMessages } from '#server/core/messages/load-messages';

/** Loads a language with its messages. A browser loads the file of its own language, once per version. */
export async function loadLanguage(code: LanguageCode): Promise<Language> {
  return { code, messages: await loadMessages(code) };
}
