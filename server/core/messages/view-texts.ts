import german from '#messages/view/de.json' with { type: 'json' };
import english from '#messages/view/en.json' with { type: 'json' };

/** Texts of the view in hosts of MCP Apps, by language. */
export const viewTexts = { en: english, de: german };
