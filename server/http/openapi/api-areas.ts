/* The areas into which the API reference is divided. */

/** A part of the API, for its documentation. A path belongs to the first area that matches it. */
interface Area {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

/** All areas, in the order in which the API reference lists them. */
export const areas: readonly Area[] = [
  {
    name: 'Chat',
    description: 'Send a message, follow the answer, stop it, decide what waits for approval.',
    paths: /^\/api\/(chat|message|models|attachments|approvals)\b|^\/api\/sessions\/\{id\}\/(approvals|attachments)/,
  },
  {
    name: 'Context',
    description: 'What fills the window of the model, and how room is made in it.',
    paths: /^\/api\/sessions\/\{id\}\/(context|prepare|prune|compact)/,
  },
  { name: 'Sessions', description: 'Conversations and all that was said in them.', paths: /^\/api\/sessions/ },
  { name: 'Media', description: 'The pictures of the site.', paths: /^\/api\/content\/media/ },
  {
    name: 'Content',
    description: 'Pages, posts, navigation and settings of the site, with every change of them.',
    paths: /^\/api\/content/,
  },
  { name: 'Submissions', description: 'What visitors sent by the forms of the site.', paths: /^\/api\/submissions/ },
  {
    name: 'Anthropic',
    description:
      'The wire format of Anthropic, for clients that know it; a conversation never outgrows the model’s window.',
    paths: /^\/v1\/messages\b/,
  },
  {
    name: 'OpenAI',
    description:
      'The wire format of OpenAI, for clients that know it; a conversation never outgrows the model’s window.',
    paths: /^\/v1\b/,
  },
  {
    name: 'Access',
    description: 'Signing in, people, API keys and what waits to be agreed to.',
    paths: /^\/api\/(auth|users|keys|call-requests)\b/,
  },
  { name: 'Settings', description: 'Models, limits, tools and sites.', paths: /^\/api\/settings/ },
  {
    name: 'Administration',
    description: 'All sessions, who did what, and copies of the database.',
    paths: /^\/api\/(admin|backups)\b/,
  },
  { name: 'Service', description: 'Whether it runs, and this document.', paths: /^/ },
];

/** Name of the area to which a path belongs. */
export function areaOf(path: string): string {
  return areas.find(({ paths }) => paths.test(path))?.name ?? 'Service';
}
