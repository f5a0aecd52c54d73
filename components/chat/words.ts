import { inYourLanguage } from '#components/in-your-language';

/** Requests that the basic assistant understands; in English in every language, as it knows no other. */
export const basicSentences = [
  'Create a page called Pricing',
  'List the pages',
  'Change the heading on Home to “Made by hand, made to last”',
  'Find posts about glaze',
] as const;

/** Words of a conversation that has not begun. */
export const startStrings = inYourLanguage('startStrings', {
  title: 'What shall we work on?',
  body: 'Ask for a change in your own words. It appears in the draft beside the chat right away, and every step can be undone.',
  suggestions: basicSentences,
  suggestionsLabel: 'For example',
});

/** Words of the choice between chat and preview on a small screen. */
export const tabStrings = inYourLanguage('tabStrings', { label: 'View', chat: 'Chat', preview: 'Preview' });
