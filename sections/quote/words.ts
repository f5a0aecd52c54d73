export const quoteWords = { name: 'Quote', purpose: 'Somebody’s words, large, with their name.' };
