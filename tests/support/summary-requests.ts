import type { ParsedRequest } from '#tests/support/request-log';

/** The compaction's own requests: those that quote the conversation, and those that continue it. */
export function isSummaryRequest({ messages }: Pick<ParsedRequest, 'messages'>): boolean {
  return quotesConversation({ messages }) || continuesConversation({ messages });
}

/** A request for a summary with the conversation as quoted data. */
export function quotesConversation({ messages }: Pick<ParsedRequest, 'messages'>): boolean {
  return JSON.stringify(messages).includes('<transcript>');
}

/** A request of the conversation itself whose last message asks for notes. */
export function continuesConversation({ messages }: Pick<ParsedRequest, 'messages'>): boolean {
  return JSON.stringify(messages.at(-1)).includes('Write notes now; do not answer the user');
}
