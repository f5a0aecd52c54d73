import { number } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';

/** Texts of the API reference. */
export const docsStrings = inYourLanguage('docsStrings', {
  title: 'API reference',
  shell: {
    nav: 'Reference',
    home: 'Throughline, API reference',
    skip: 'Skip to the reference',
    back: 'Back to the assistant',
    document: 'OpenAPI document',
  },
  search: 'Search the API',
  found: (count: number) => `${number.format(count)} found`,
  areas: 'Areas',
  shapes: {
    title: 'Shapes',
    intro: 'Objects that several requests and responses share.',
  },
  start: {
    operations: (count: number) => `${number.format(count)} operations`,
    refusals: 'Errors',
    refusalsIntro:
      'Every error of /api is JSON with a code for programs and a message for people; /v1 uses the error format of OpenAI.',
    status: 'Status',
    meaning: 'Meaning',
  },
  access: {
    title: 'Access',
    public: 'Everyone',
    'signed-in': 'Signed-in users, or any API key',
    person: 'Signed-in users; no API key',
    administrator: 'Signed-in administrators; no API key',
    scope: (scope: string) => `API keys with the scope ${scope}`,
    admin: 'Administrators, and API keys with the scope admin',
  },
  parts: {
    path: 'Path parameters',
    query: 'Query parameters',
    body: 'Body',
    answer: 'Response',
    events: 'Events',
    refusals: 'Errors',
    example: 'Example',
    exampleAnswer: 'Its response',
  },
  optional: 'optional',
  fieldsOf: (name: string) => `Fields of ${name}`,
  variants: 'One of',
  nothing: 'No body.',
  copy: 'Copy the command',
  defaultIs: (value: string) => `default ${value}`,
});
