import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#server/core/json';
import { type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { finish, says, type ScriptedStep, toolCall } from '#tests/support/scripted-model';

const seed = { actor: 'seed' } as const;
const calls = (id: string, name: string, input: JsonValue): ScriptedStep => [
  ...toolCall(id, name, JSON.stringify(input)),
  finish('tool-calls'),
];

/** A chat whose model may look at the site before its steps are written. */
async function startEditing(steps: ScriptedStep[]): Promise<ScriptedChat> {
  return startScriptedChat(steps, { CONTEXT_WINDOW: '64000' });
}

/** What the newest tool result told the model. */
const told = (chat: ScriptedChat) => JSON.stringify(chat.requests.at(-1)?.prompt.at(-1));

const PRICED = ['Workshops', 'Prices', 'Wheel', 'Glazing', 'Kiln', 'Gifts', 'Clubs'];

/** Text pages with €48, and the texts of all of them. */
async function addPriced(
  {
    services: {
      builtIn: { content },
    },
  }: ScriptedChat,
  count: number,
) {
  for (const title of PRICED.slice(0, count)) {
    const sections = [{ type: 'text', fields: { body: `${title} costs €48 a head.` } }] as const;
    const { entry } = await content.create({ type: 'page', title, sections }, seed);
    await content.publish(entry.id, seed);
  }
  const texts = async (state: 'draft' | 'published') => {
    const entries = await Promise.all(PRICED.slice(0, count).map((title) => content.get(title)));
    return entries.map((entry) => JSON.stringify(entry[state]?.sections));
  };
  return { texts, before: await texts('draft') };
}

describe('one price in seven places', () => {
  it('is one call and one undo, of drafts alone', async () => {
    await using chat = await startEditing([
      calls('c1', 'edit_text', { find: '€48', replace: '€52', count: 3 }),
      calls('c2', 'edit_text', { find: '€48', replace: '€52', count: 7 }),
      says('All of them.'),
      calls('c3', 'undo', {}),
      says('As before.'),
    ]);
    const {
      builtIn: { content },
    } = chat.services;
    const { texts } = await addPriced(chat, 3);
    const items = [{ question: '€48?', answer: 'Yes, €48.' }];
    const faq = { type: 'faq' as const, fields: { items } };
    const { entry } = await content.create(
      { type: 'post', title: 'At €48', excerpt: 'For €48.', sections: [faq] },
      seed,
    );
    const before = [await texts('draft'), (await content.get(entry.id)).draft];

    await chat.say('The workshop costs €52 now');
    expect(JSON.stringify(chat.requests[1]?.prompt.at(-1))).toContain('7 places, not 3');
    expect((await texts('draft')).every((text) => text.includes('€52'))).toBe(true);
    expect(JSON.stringify((await content.get(entry.id)).draft)).not.toContain('€48');
    expect((await texts('published')).every((text) => text.includes('€48'))).toBe(true);
    expect(told(chat)).toContain('visitorsStillSeeItIn');

    await chat.say('No, take that back');
    expect([await texts('draft'), (await content.get(entry.id)).draft]).toEqual(before);
  });

  it('of seven pages waits for the user, as so many single edits would', async () => {
    await using chat = await startEditing([
      calls('c1', 'edit_text', { find: '€48', replace: '€52', all: true, dryRun: true }),
      calls('c2', 'edit_text', { find: '€48', replace: '€52', all: true }),
      says('Done.'),
    ]);
    const { texts, before } = await addPriced(chat, 7);
    const { message } = await chat.say('€52 everywhere');
    expect(await texts('draft')).toEqual(before);
    const asked = message.parts.find((part) => 'state' in part && part.state === 'approval-requested');
    expect(asked).toMatchObject({ type: 'tool-edit_text', input: { find: '€48' } });
  });
});

describe('a post of 40,000 characters', () => {
  const BODY = Array.from({ length: 900 }, (_, index) => `Sentence ${index} of a post that is long enough here.`)
    .join(' ')
    .slice(0, 40_000);

  it('is edited in its middle and loses nothing; overwriting it unread is refused', async () => {
    let sectionId = '';
    const overwrite: ScriptedStep = async (write) => {
      const input = { sectionId, fields: { body: 'Only what I have seen.' } };
      for (const part of toolCall('c2', 'update_section', JSON.stringify(input))) write(part);
      write(finish('tool-calls'));
    };
    await using chat = await startEditing([
      calls('c1', 'get_content', { ref: 'long-post' }),
      overwrite,
      calls('c3', 'search_content', { query: 'Sentence 400 of', exact: true }),
      calls('c4', 'edit_text', { find: 'Sentence 400 of', replace: 'The middle of', refs: ['long-post'] }),
      says('Done.'),
    ]);
    const {
      builtIn: { content },
    } = chat.services;
    const { entry } = await content.create(
      { type: 'post', title: 'Long post', sections: [{ type: 'text', fields: { body: BODY } }] },
      seed,
    );
    sectionId = entry.draft.sections[0]?.id ?? '';
    await chat.say('Rewrite the sentence in the middle');
    const results = chat.requests.map(({ prompt }) => JSON.stringify(prompt.at(-1)));
    expect(results[1]).toContain('characters 0 to 8000 of 40000');
    expect(results[2]).toContain('this would replace all of it');
    expect((await content.get(entry.id)).draft.sections[0]?.fields['body']).toBe(
      BODY.replace('Sentence 400 of', 'The middle of'),
    );
  });
});

describe('a list', () => {
  it('is changed item by item, and each change stands in the journal in words', async () => {
    const step =
      (id: string, input: Record<string, JsonValue>): ScriptedStep =>
      async (write) => {
        for (const part of toolCall(id, 'edit_items', JSON.stringify({ sectionId, ...input }))) write(part);
        write(finish('tool-calls'));
      };
    let sectionId = '';
    await using chat = await startEditing([
      step('c1', { op: 'move', item: 'Three?', position: 1 }),
      step('c2', { op: 'change', item: '2', fields: { answer: 'Two.' } }),
      step('c3', { op: 'add', fields: { question: 'Four?', answer: '4.' }, position: 2 }),
      says('Done.'),
    ]);
    const {
      builtIn: { content },
    } = chat.services;
    const items = ['One?', 'Two?', 'Three?'].map((question, index) => ({ question, answer: `${index + 1}.` }));
    const { entry } = await content.create(
      { type: 'page', title: 'Help', sections: [{ type: 'faq', fields: { items } }] },
      seed,
    );
    sectionId = entry.draft.sections[0]?.id ?? '';
    await chat.say('Put the questions in order');
    expect((await content.get(entry.id)).draft.sections[0]?.fields['items']).toEqual([
      { question: 'Three?', answer: '3.' },
      { question: 'Four?', answer: '4.' },
      { question: 'One?', answer: 'Two.' },
      { question: 'Two?', answer: '2.' },
    ]);
    const journal = await content.changes({ sessionId: chat.session.id });
    expect(journal.map(({ summary }) => summary)).toEqual([
      'Added "Four?" to the FAQ section of "Help"',
      'Changed the answer of "One?" in the FAQ section of "Help"',
      'Moved "Three?" to place 1 in the FAQ section of "Help"',
    ]);
  });
});
