/*
 * A conversation as long sessions have them, always the same one: an editor asks, the assistant says a word, calls a
 * tool whose result is a page of the site, and answers with prose, lists, tables or code. Four messages a turn.
 */

/** A message in OpenAI's chat format, as POST /api/sessions/{id}/import takes it. */
export type HistoryMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly unknown[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

/** Words of the first and of the newest message, by which a bench sees that they are drawn. */
export const FIRST_WORDS = 'This is where the conversation begins.';
export const NEWEST_WORDS = 'This is the newest line of the conversation.';

const SENTENCES = [
  'Every piece is thrown by hand, dried for a week and fired twice in the kiln behind the shop.',
  'The opening hours moved to the footer, where visitors on a phone look for them first.',
  'I kept the tone plain and warm, with short sentences and no superlatives.',
  'The old address still forwards, so links from elsewhere do not break.',
  'Prices are in Euro and include the glaze; delivery is counted at the end.',
  'Two pictures had no description, which I wrote from what the captions say.',
  'The workshop takes eight people, lasts three hours and ends with tea.',
];
const SUBJECTS = ['the pricing page', 'the start page', 'the workshop post', 'the navigation', 'the page about us'];

const pick = <T>(items: readonly T[], n: number): T => items[n % items.length]!;
const prose = (n: number, sentences: number) =>
  Array.from({ length: sentences }, (_, i) => pick(SENTENCES, n * 3 + i)).join(' ');

function table(n: number): string {
  const rows = Array.from({ length: 4 + (n % 6) }, (_, i) => `| Bowl no. ${n + i} | ${12 + i} cm | ${28 + i * 3} € |`);
  return ['| piece | width | price |', '|---|---:|---:|', ...rows].join('\n');
}

function code(n: number): string {
  const lines = Array.from({ length: 5 + (n % 12) }, (_, i) => `  "field-${i}": "${pick(SUBJECTS, n + i)}",`);
  return ['```json', '{', ...lines, `  "revision": ${n}`, '}', '```'].join('\n');
}

function list(n: number): string {
  return Array.from(
    { length: 3 + (n % 4) },
    (_, i) => `- **${pick(SUBJECTS, n + i)}**: ${pick(SENTENCES, n + i)}`,
  ).join('\n');
}

function answer(n: number): string {
  const body = [prose(n, 3), n % 2 === 0 ? list(n) : `### What changed\n\n${prose(n + 1, 4)}`];
  if (n % 3 === 0) body.push(table(n));
  if (n % 5 === 0) body.push(code(n));
  body.push(`See [the draft](/preview/pricing-${n}) or tell me what to change.`);
  return body.join('\n\n');
}

/** What a tool gave back: 1 to 8 kB of JSON. */
function page(n: number): string {
  const sections = Array.from({ length: 2 + (n % 14) }, (_, i) => ({
    id: `sec_${n}_${i}`,
    type: 'text',
    heading: pick(SUBJECTS, n + i),
    body: prose(n + i, 4),
  }));
  return JSON.stringify({ type: 'page', slug: `pricing-${n}`, title: `Pricing ${n}`, status: 'draft', sections });
}

function turn(n: number): HistoryMessage[] {
  const id = `call_${n}`;
  const call = { id, type: 'function', function: { name: 'get_content', arguments: `{"ref":"pricing-${n}"}` } };
  return [
    { role: 'user', content: `Please look at ${pick(SUBJECTS, n)} again (${n}). ${prose(n, 1 + (n % 3))}` },
    { role: 'assistant', content: `I look at ${pick(SUBJECTS, n)} first.`, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: page(n) },
    { role: 'assistant', content: answer(n) },
  ];
}

/** @param count messages; whole turns of four */
export function longHistory(count: number): HistoryMessage[] {
  const messages = Array.from({ length: count / 4 }, (_, n) => turn(n)).flat();
  const [first, newest] = [messages[0]!, messages.at(-1)!];
  messages[0] = { role: 'user', content: `${FIRST_WORDS} ${first.content}` };
  messages[messages.length - 1] = { role: 'assistant', content: `${newest.content}\n\n${NEWEST_WORDS}` };
  return messages;
}

/** A long answer in markdown, in pieces as a model sends them. @param chunks how many */
export function longAnswer(chunks: number): string[] {
  const pieces: string[] = [];
  for (let n = 0; pieces.length < chunks; n += 1) pieces.push(...(`${answer(n)}\n\n`.match(/\s*\S+/g) ?? []));
  return pieces.slice(0, chunks);
}
