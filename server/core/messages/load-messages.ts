import type english from '#messages/en.json';
import type { LanguageCode } from '#server/core/languages';

/** All messages of one language. */
type LanguageMessages = typeof english;

const files: Readonly<Record<LanguageCode, () => Promise<LanguageMessages>>> = {
  en: async () => (await import('#messages/en.json', { with: { type: 'json' } })).default,
  de: async () => (await import('#messages/de.json', { with: { type: 'json' } })).default,
};

/** Loads the messages of a language. */
export function loadMessages(language: LanguageCode): Promise<LanguageMessages> {
  return files[language]();
}
