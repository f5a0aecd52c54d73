import { expect, it } from 'vitest';
import { chatCompletionBody, outputLimit } from '#server/integrations/openai/chat-completion-body';

const good = { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] };
const parse = (fields: object) => chatCompletionBody.safeParse({ ...good, ...fields });

it.each([
  [{ messages: [{ role: 'developer', content: [{ type: 'text', text: 'x' }] }] }],
  [
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
        },
      ],
    },
  ],
  [{ messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }] }],
  [{ messages: [{ role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] }] }],
  [
    {
      messages: [
        {
          role: 'user',
          name: 'ada',
          content: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png', detail: 'low' } }],
        },
      ],
    },
  ],
  [
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' } }],
        },
      ],
    },
  ],
  [{ tools: [{ type: 'function', function: { name: 'mcp__a.b:c-d' } }], tool_choice: 'required' }],
  [{ response_format: { type: 'json_object' }, logprobs: null, n: 1, stream_options: null }],
  // LM Studio's "no limit".
  [{ max_tokens: -1 }],
])('accepts %j', (fields) => {
  expect(parse(fields).error?.issues).toBeUndefined();
});

it.each([
  [{}, undefined],
  [{ max_tokens: 5 }, 5],
  [{ max_tokens: 5, max_completion_tokens: 9 }, 9],
  [{ max_tokens: -1 }, undefined],
  [{ max_tokens: null, max_completion_tokens: null }, undefined],
])('reads the limit of %j', (fields, limit) => {
  expect(outputLimit(chatCompletionBody.parse({ ...good, ...fields }))).toBe(limit);
});
