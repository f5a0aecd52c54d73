const number = new Intl.NumberFormat('en-US');

/** The words of the API's reference. */
export const docsStrings = {
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
    intro: 'What several answers and requests consist of.',
  },
  start: {
    operations: (count: number) => `${number.format(count)} operations`,
    refusals: 'When something is refused',
    refusalsIntro:
      'Every refusal of /api is JSON with a code for programs and a message for people; /v1 refuses in the shape of OpenAI.',
    status: 'Status',
    meaning: 'Meaning',
  },
  access: {
    title: 'Who may',
    public: 'Everybody',
    'signed-in': 'Who has signed in, or any API key',
    person: 'Who has signed in; no API key',
    administrator: 'An administrator who has signed in; no API key',
    scope: (scope: string) => `API keys with the scope ${scope}`,
    admin: 'Administrators, and API keys with the scope admin',
  },
  parts: {
    path: 'In the address',
    query: 'In the query',
    body: 'Body',
    answer: 'Answer',
    events: 'Events',
    refusals: 'Refusals',
    example: 'Example',
    exampleAnswer: 'Its answer',
  },
  optional: 'optional',
  fieldsOf: (name: string) => `Fields of ${name}`,
  variants: 'One of',
  nothing: 'No body.',
  copy: 'Copy the command',
  defaultIs: (value: string) => `default ${value}`,
} as const;
