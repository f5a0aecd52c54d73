import type { NextRequest, RequestMessage } from '#server/core/conversation/context-report';

function message(
  role: RequestMessage['role'],
  text: string,
  tokens = 10,
  toolName: string | null = null,
): RequestMessage {
  const part = { type: 'text' as const, toolName, text, characters: text.length, tokens, isCleared: false };
  return { role, isSummary: false, tokens, parts: [part] };
}

/** A request of three messages, with instructions and tools. */
export const request: NextRequest = {
  modelId: 'a/model',
  tokens: 1060,
  instructions: { text: 'You edit websites.', tokens: 900 },
  tools: { names: ['list_pages', 'add_section'], tokens: 120 },
  messages: [
    message('user', 'Add a FAQ to Pricing'),
    message('tool', '{"ok":true}', 20, 'add_section'),
    message('assistant', 'Done.'),
  ],
};
