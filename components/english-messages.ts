import messages from '#messages/en.json' with { type: 'json' };

/**
 * The English messages on the server, in tests and in scripts, where no page has loaded messages. package.json replaces
 * this file in browsers.
 */
export const english: typeof messages | null = messages;
