import type { Messages } from '#components/in-your-language.ts';
import type { Spoken } from '#components/in-your-language.ts';
import type { Translation } from '#components/languages/translation.ts';
import type { LanguageCode } from '#server/core/languages';

/** All languages except English, loaded on use. */
const translations: Readonly<Record<Exclude<LanguageCode, 'en'>, () => Promise<Translation>>> = {
  de: async () => (await import('#components/languages/de.ts')).de,
};

/** The messages of all languages. A browser loads the file of its own language, once per version. */
const messages: Readonly<Record<LanguageCode, () => Promise<Messages>>> = {
  en: async () => (await import('#messages/en.json', { with: { type: 'json' } })).default,
  de: async () => (await import('#messages/de.json', { with: { type: 'json' } })).default,
};

/** The texts of a language; null for English, whose texts are in the modules that show them. */
export function translationOf(code: LanguageCode): Promise<Translation> | null {
  return code === 'en' ? null : translations[code]();
}

/** Loads all texts of a language. */
export async function loadLanguage(code: LanguageCode): Promise<Spoken> {
  const [dictionary, loaded] = await Promise.all([translationOf(code), messages[code]()]);
  return { code, dictionary, messages: loaded };
}
