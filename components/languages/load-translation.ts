import type { Translation } from '#components/languages/translation';
import type { LanguageCode } from '#server/core/languages';

/** Every language but English, loaded when somebody speaks it. */
const translations: Readonly<Record<Exclude<LanguageCode, 'en'>, () => Promise<Translation>>> = {
  de: async () => (await import('#components/languages/de')).de,
};

/** The words of a language; null for English, whose words are in the modules that show them. */
export function translationOf(code: LanguageCode): Promise<Translation> | null {
  return code === 'en' ? null : translations[code]();
}
