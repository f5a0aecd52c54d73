import type { Translation } from '#components/languages/translation.ts';
import type { LanguageCode } from '#server/core/languages';

/** All languages except English, loaded on use. */
const translations: Readonly<Record<Exclude<LanguageCode, 'en'>, () => Promise<Translation>>> = {
  de: async () => (await import('#components/languages/de.ts')).de,
};

/** The texts of a language; null for English, whose texts are in the modules that show them. */
export function translationOf(code: LanguageCode): Promise<Translation> | null {
  return code === 'en' ? null : translations[code]();
}
