export const textWords = { name: 'Text', purpose: 'Running text with headings, lists and links.' };
