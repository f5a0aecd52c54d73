import type { Language, Messages } from '#components/language.ts';
import type { LanguageCode } from '#server/core/languages';

/** The messages of all languages. A browser loads the file of its own language, once per version. */
const messages: Readonly<Record<LanguageCode, () => Promise<Messages>>> = {
  en: async () => (await import('#messages/en.json', { with: { type: 'json' } })).default,
  de: async () => (await import('#messages/de.json', { with: { type: 'json' } })).default,
};

/** Loads a language with its messages. */
export async function loadLanguage(code: LanguageCode): Promise<Language> {
  return { code, messages: await messages[code]() };
}
