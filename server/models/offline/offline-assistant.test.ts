import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedText } from '#server/core/conversation/added-text';
import type { ContentBackend } from '#server/site/content-backend';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import type { ChangeOrigin } from '#server/core/site/changes';
import { splitClauses, valueOf } from '#server/models/offline/clauses';
import { readConversation } from '#server/models/offline/conversation';
import { planStep } from '#server/models/offline/plan';
import { createContentRepository } from '#server/site/store/content-repository';
import { OfflineConversation } from '#tests/support/offline-conversation';
import { createTestDatabase } from '#tests/support/test-database';
import { isDeep } from '#tests/support/deep';
import { anyCharacter } from '#tests/support/any-character';

const seed: ChangeOrigin = { actor: 'seed' };

async function withSite(test: (talk: OfflineConversation, site: ContentBackend) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const site = new EmbeddedSite(createContentRepository(db));
  await site.create(
    {
      type: 'page',
      title: 'Home',
      sections: [
        { type: 'hero', fields: { heading: 'Hello' } },
        { type: 'text', fields: { body: 'First.' } },
        { type: 'quote', fields: { quote: 'Fine bread' } },
        { type: 'text', fields: { body: 'Second.' } },
      ],
    },
    seed,
  );
  await site.create({ type: 'page', title: 'About us', sections: [{ type: 'faq', fields: { items: [] } }] }, seed);
  await site.create(
    { type: 'post', title: 'Rye bread', sections: [{ type: 'text', fields: { body: 'On rye flour.' } }] },
    seed,
  );
  await test(new OfflineConversation(site), site);
}

const planOf = (text: string) => planStep(readConversation([{ role: 'user', content: [{ type: 'text', text }] }]));
const firstCall = (text: string) => {
  const plan = planOf(text);
  return typeof plan === 'string' ? plan : plan[0];
};
const toolsOf = (answer: { steps: readonly { calls: readonly { toolName: string }[] }[] }) =>
  answer.steps.map(({ calls }) => calls.map(({ toolName }) => toolName));

describe('the basic assistant', () => {
  it('takes the section that was chosen on the page, on which others have a field of that name', () =>
    withSite(async (talk, site) => {
      const { id, draft } = await site.get('home', 'page');
      const texts = draft.sections.filter(({ type }) => type === 'text');
      const chosen = `section ${texts[1]?.id ?? ''} (text, "Second.") of ${id}. "this" means it alone.`;
      const text = `It is Friday.\nChosen by the user on the page: ${chosen}`;
      const told = addedText({ type: 'situation', content: { text } }) ?? '';
      const answer = await talk.say(`Change the text to "Third."\n${told}`);
      expect(answer.text).toBe('The draft of Home has it now.');
      const { sections } = (await site.get('home', 'page')).draft;
      expect(sections.flatMap(({ type, fields }) => (type === 'text' ? [fields.body] : []))).toEqual([
        'First.',
        'Third.',
      ]);
    }));

  it('asks which text is meant, and continues after the answer', () =>
    withSite(async (talk, site) => {
      const asked = await talk.say('change the text on Home to "New." and list the posts');
      expect(JSON.stringify(asked.steps.at(-1))).toMatch(/Which text of \\"Home\\".*: First\..*: Second\./);
      const answer = await talk.say('the second one');
      expect(answer.text).toMatch(/^The draft of Home has it now\.\nThere is 1 post:/);
      const { sections } = (await site.get('home')).draft;
      expect(sections.flatMap(({ fields }) => fields.body ?? [])).toEqual(['First.', 'New.']);
    }));

  it('asks when a name fits several, and continues after the answer', () =>
    withSite(async (talk, site) => {
      await site.create({ type: 'page', title: 'About the oven' }, seed);
      const asked = await talk.say('delete About and list the posts');
      expect(toolsOf(asked).at(-1)).toEqual(['ask_user']);
      expect(JSON.stringify(asked.steps.at(-1))).toContain('About us (page, slug about-us)');
      const answer = await talk.say('the one about the oven');
      expect(answer.text).toContain('About the oven is in the trash.');
      expect(answer.text).toContain('There is 1 post:');
      expect(await site.find('about-us')).not.toBeNull();
    }));

  it('reports errors literally, and "it" does not mean another page after a failure', () =>
    withSite(async (talk, site) => {
      await talk.say('show About us');
      const answer = await talk.say('create a page called Home and publish it');
      expect(answer.text).toMatch(/did not work: /);
      expect(answer.text).toContain('I cannot tell which page or post you mean');
      expect((await site.get('about-us')).status).toBe('draft');
      expect((await talk.say('publish Nowhere')).text).toBe('There is no page or post called "Nowhere".');
    }));

  it('ends every request with an answer or a question within twelve steps, for any text', () =>
    withSite(async (talk) => {
      const words = [
        'create',
        'a page called',
        'publish',
        'delete',
        'undo',
        'it',
        'and',
        'then',
        'with',
        'the text',
        'to the faq',
        '"x"',
        'faq section',
        'on',
        'Home',
        'About',
        'list the posts',
        'add',
        'move',
        'top',
        'heading',
        'always',
        '"',
        '\n',
        '. ',
        ',',
      ];
      const message = fc.oneof(
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' ')),
      );
      await fc.assert(
        fc.asyncProperty(message, async (text) => {
          talk.prompt.length = 0;
          const { text: answer, steps } = await talk.say(text);
          expect(answer !== '' || steps.at(-1)?.calls.at(-1)?.toolName === 'ask_user').toBe(true);
        }),
        { numRuns: isDeep ? 1_000 : 25 },
      );
    }));
});

describe('the written content', () => {
  const hero = (heading: string, subheading?: string) => ({
    type: 'hero',
    fields: { heading, ...(subheading !== undefined && { subheading }) },
  });

  it.each([
    [
      'Please create a new page named "Terms and Conditions".',
      { type: 'page', sections: [hero('Terms and Conditions')] },
    ],
    ['create a page about gift cards', { title: 'Gift cards' }],
    [
      'write a blog post called Opening hours with the slug "hours" and the text "We open at 7. Come early!"',
      {
        type: 'post',
        title: 'Opening hours',
        slug: 'hours',
        sections: [{ type: 'text', fields: { body: 'We open at 7. Come early!' } }],
      },
    ],
  ])('%s', (message, input) => {
    expect(firstCall(message)).toMatchObject({ toolName: 'create_content', input });
  });

  it.each([
    [
      'add a faq section to Pricing with the question "Free?" and the answer "No." and the question "Why?" and the answer "So."',
      {
        items: [
          { question: 'Free?', answer: 'No.' },
          { question: 'Why?', answer: 'So.' },
        ],
      },
    ],
    ['add a text section to Home with the text Fresh bread', { body: 'Fresh bread' }],
    [
      'add a text section to Home with “First.\n\n- "not" a request\n- publish it  ”',
      { body: 'First.\n\n- "not" a request\n- publish it  ' },
    ],
    ['add an image section to About with the image "/o.jpg" and the alt text "Oven"', { src: '/o.jpg', alt: 'Oven' }],
  ])('%s', (message, fields) => {
    expect(firstCall(message)).toMatchObject({
      toolName: 'add_section',
      input: { fields },
    });
  });
});

describe('several requests in one message', () => {
  it.each([
    ['- publish Home\n- publish "Pricing"\n\n2. undo that', ['publish Home', 'publish "Pricing"', 'undo that']],
    [
      'Publish Pricing. From now on, always use British spelling. What did I ask first?',
      ['Publish Pricing', 'always use British spelling', 'What did I ask first'],
    ],
    ['never use "and" and publish nothing on Fridays', ['never use "and" and publish nothing on Fridays']],
    [
      'publish Terms and Conditions, then could you please list the posts?',
      ['publish Terms and Conditions', 'list the posts'],
    ],
    [
      'change the hero heading on Home to "Bread and publish it" and undo that',
      ['change the hero heading on Home to "Bread and publish it"', 'undo that'],
    ],
  ])('%s', (message, clauses) => {
    expect(splitClauses(message).map(({ text, quotes }) => valueOf(text, quotes))).toEqual(clauses);
  });
});

describe('the documented requests', () => {
  const page = readFileSync('docs/reference/basic-assistant.md', 'utf8');
  const examples = [...page.matchAll(/^\| (?!example|-)(?<example>.+?) +\|/gm)].map(
    ({ groups }) => groups?.example ?? '',
  );

  it('are a table', () => expect(examples.length).toBeGreaterThan(20));

  it.each(examples)('are understood: %s', (example) => {
    expect(JSON.stringify(planOf(example))).not.toMatch(/cannot do this/);
    expect(splitClauses(example)).toHaveLength(1);
  });
});
