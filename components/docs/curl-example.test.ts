import { expect, it } from 'vitest';
import { curlExample } from '#components/docs/curl-example.ts';

const operation = {
  operationId: 'x',
  summary: 'X',
  description: 'X.',
  tags: ['X'],
  'x-access': 'chat',
  security: [{ apiKey: [] }],
  responses: {},
} as const;

it('puts examples into the address, the query and the body, as a shell takes them', () => {
  const text = curlExample(
    'post',
    '/api/sessions/{id}/search',
    {
      ...operation,
      parameters: [
        { name: 'id', in: 'path', required: true, schema: {}, example: 'ses_1' },
        { name: 'q', in: 'query', required: true, schema: {}, example: 'a b' },
        { name: 'limit', in: 'query', required: false, schema: {} },
      ],
      requestBody: {
        required: true,
        description: '',
        content: { 'application/json': { schema: {}, example: { title: "Ada's" } } },
      },
    },
    'https://cms.example.org',
  );
  expect(text.split(' \\\n  ')).toEqual([
    "curl -X POST 'https://cms.example.org/api/sessions/ses_1/search?q=a+b'",
    '-H "Authorization: Bearer $THROUGHLINE_KEY"',
    "-H 'Content-Type: application/json'",
    `-d '{"title":"Ada'\\''s"}'`,
  ]);
});

it('asks for no key where everybody may', () => {
  expect(curlExample('get', '/api/health', { ...operation, security: [] }, 'https://cms.example.org')).toBe(
    "curl 'https://cms.example.org/api/health'",
  );
});
