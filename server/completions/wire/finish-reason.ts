export type WireFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

const REASONS: Readonly<Record<string, WireFinishReason>> = {
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/**
 * OpenAI's word for how an answer ended.
 * @param reason the AI SDK's
 * @param hasCalls tools were called: clients look at the word to know, and some providers say "stop" all the same
 */
export function wireFinishReason(reason: string, hasCalls: boolean): WireFinishReason {
  const said = REASONS[reason] ?? 'stop';
  return said === 'stop' && hasCalls ? 'tool_calls' : said;
}
