import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coalesceTexts } from '#server/core/engine-words';
import type { ContentBackend } from '#server/content/content-backend';
import { createEmbeddedContentBackend } from '#server/content/embedded/embedded-content-backend';
import type { ChangeOrigin } from '#server/core/content';
import { createContentRepository } from '#server/store/content-repository';
import { OfflineConversation } from '#tests/support/offline-conversation';
import { createTestDatabase } from '#tests/support/test-database';

const seed: ChangeOrigin = { actor: 'seed' };

async function withSite(test: (talk: OfflineConversation, site: ContentBackend) => Promise<void>): Promise<void> {
  await using db = await createTestDatabase();
  const site = createEmbeddedContentBackend(createContentRepository(db));
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

const toolsOf = (answer: { steps: readonly { calls: readonly { toolName: string }[] }[] }) =>
  answer.steps.map(({ calls }) => calls.map(({ toolName }) => toolName));

describe('the offline assistant', () => {
  it('creates a page, adds a section to "it" and publishes it, one step each', () =>
    withSite(async (talk, site) => {
      const answer = await talk.say(
        'Create a page called "Pricing" about our plans, add a faq section to it with the question "Free?" and the answer "No." and publish it.',
      );
      expect(toolsOf(answer)).toEqual([['create_content'], ['add_section'], ['publish_content'], []]);
      const page = await site.get('pricing', 'page');
      expect(page.status).toBe('published');
      expect(page.draft).toMatchObject({
        excerpt: 'Our plans.',
        sections: [
          { type: 'hero', fields: { heading: 'Pricing', subheading: 'Our plans.' } },
          { type: 'faq', fields: { items: [{ question: 'Free?', answer: 'No.' }] } },
        ],
      });
      expect(answer.text).toContain(`Published the page "Pricing" (${page.id}, slug pricing)`);
    }));

  it('speaks of sections with the article that they take', () =>
    withSite(async (talk) => {
      const image = await talk.say('Add an image section to Home with the image "/images/kiln.svg"');
      expect(image.text).toMatch(/^Added an image section \(sec_/);
      expect((await talk.say('Add a faq section to Home')).text).toMatch(/^Added a faq section \(sec_/);
      const none = await talk.say('Change the answer on Home to "Yes"');
      expect(none.text).toContain('section with an answer');
    }));

  it('tells what it can do as a list, and apart from it how to ask for several things', () =>
    withSite(async (talk) => {
      expect((await talk.say('help')).text).toMatch(/\n- always [^\n]+\n\nJoin several with /);
    }));

  it('reads a page before it changes a section, and again after the page has changed', () =>
    withSite(async (talk, site) => {
      const first = await talk.say('Change the hero heading on Home to "Good morning"');
      expect(toolsOf(first)).toEqual([['get_content'], ['update_section'], []]);
      await talk.say('show About us');
      const second = await talk.say(
        'change the text of the second text section on Home to "Last." and move the quote on Home to the top',
      );
      expect(toolsOf(second)).toEqual([['get_content'], ['update_section'], ['get_content'], ['move_section'], []]);
      const { sections } = (await site.get('home')).draft;
      expect(sections.map(({ type, fields }) => [type, fields.heading ?? fields.body ?? fields.quote])).toEqual([
        ['quote', 'Fine bread'],
        ['hero', 'Good morning'],
        ['text', 'First.'],
        ['text', 'Last.'],
      ]);
    }));

  it('does not read again what a visible result shows', () =>
    withSite(async (talk) => {
      await talk.say('show Home');
      expect(toolsOf(await talk.say('remove the quote section from Home'))).toEqual([['remove_section'], []]);
    }));

  it('takes "the text" for a text section, and a field that only a hero has for the hero', () =>
    withSite(async (talk, site) => {
      await talk.say('set the text on Home to "One." and set the subheading on Home to "Sub"');
      const { sections } = (await site.get('home')).draft;
      expect(sections.map(({ fields }) => fields.body ?? fields.subheading)).toEqual([
        'Sub',
        'One.',
        undefined,
        'Second.',
      ]);
    }));

  it('reads a page anew when it was edited elsewhere since', () =>
    withSite(async (talk, site) => {
      await talk.say('show Home');
      const { id, draft } = await site.get('home');
      const operations = [
        { op: 'remove-section', sectionId: draft.sections[0]!.id } as const,
        {
          op: 'insert-section',
          index: 0,
          section: { id: 'sec_new234', type: 'hero', fields: { heading: 'New' } },
        } as const,
      ];
      await site.patch(id, operations, { actor: 'user' });
      const answer = await talk.say('change the hero heading on Home to "Hi"');
      expect(toolsOf(answer)).toEqual([['update_section'], ['get_content'], ['update_section'], []]);
      expect((await site.get('home')).draft.sections[0]).toMatchObject({ id: 'sec_new234', fields: { heading: 'Hi' } });
    }));

  it('adds questions to a faq and keeps those that are there', () =>
    withSite(async (talk, site) => {
      await talk.say('add a question "A?" with the answer "a" to the faq on About us');
      await talk.say('add a question "B?" with the answer "b" to the faq on About us');
      expect((await site.get('about-us')).draft.sections[0]?.fields.items).toEqual([
        { question: 'A?', answer: 'a' },
        { question: 'B?', answer: 'b' },
      ]);
    }));

  it('looks at several things at once', () =>
    withSite(async (talk) => {
      const answer = await talk.say('list the pages and the posts, show the navigation and find posts about rye');
      expect(toolsOf(answer)).toEqual([['list_content', 'list_content', 'get_navigation', 'search_content'], []]);
      expect(answer.text).toMatch(/There are 2 pages:\n- /);
      expect(answer.text).toContain('- Rye bread (post pos_');
    }));

  it('plans a publication, says what is planned, and takes it back', () =>
    withSite(async (talk, site) => {
      const plan = await talk.say('publish the post Rye bread on 2033-01-05 at 9:00');
      expect(plan.text).toMatch(/^Planned: the post "Rye bread" .* is published on 2033-01-05T09:00:00/);
      expect((await site.get('rye-bread')).publishAt).toBe(Date.parse('2033-01-05T09:00'));
      const list = await talk.say('what is planned?');
      expect(list.text).toMatch(
        /^There are no planned pages\.\nThere is 1 planned post:\n- Rye bread .*2033-01-05T09:00/,
      );
      const cancelled = await talk.say('cancel the planned publication of "Rye bread"');
      expect(cancelled.text).toContain('is taken back');
      expect((await site.get('rye-bread')).publishAt).toBeNull();
    }));

  it('publishes several pages named together, at once', () =>
    withSite(async (talk, site) => {
      const answer = await talk.say('publish Home and About us');
      expect(toolsOf(answer)).toEqual([
        ['publish_content'],
        ['list_content', 'list_content'],
        ['publish_content', 'publish_content'],
        [],
      ]);
      expect((await site.get('about-us')).status).toBe('published');
    }));

  it('asks when a name fits several, and goes on with the answer', () =>
    withSite(async (talk, site) => {
      await site.create({ type: 'page', title: 'About the oven' }, seed);
      const asked = await talk.say('delete About and list the posts');
      expect(toolsOf(asked).at(-1)).toEqual(['ask_user']);
      expect(JSON.stringify(asked.steps.at(-1))).toContain('About us (page, slug about-us)');
      const answer = await talk.say('the one about the oven');
      expect(answer.text).toContain('Deleted the page "About the oven"');
      expect(answer.text).toContain('There is 1 post:');
      expect(await site.find('about-us')).not.toBeNull();
    }));

  it('drops a question that the user does not answer', () =>
    withSite(async (talk, site) => {
      await talk.say('delete About');
      const answer = await talk.say('list the pages');
      expect(answer.text).toMatch(/^There are 2 pages/);
      expect(await site.find('about-us')).not.toBeNull();
    }));

  it('keeps the navigation in order when it adds and removes', () =>
    withSite(async (talk, site) => {
      await talk.say(
        'add Home to the navigation, add "About us" to the menu as "Who we are" and add Rye bread to the navigation',
      );
      expect(await site.navigation()).toEqual([
        { label: 'Home', href: '/' },
        { label: 'Who we are', href: '/about-us' },
        { label: 'Rye bread', href: '/blog/rye-bread' },
      ]);
      await talk.say('remove About us from the navigation');
      expect((await site.navigation()).map(({ label }) => label)).toEqual(['Home', 'Rye bread']);
    }));

  it('changes settings and details, and undoes', () =>
    withSite(async (talk, site) => {
      await talk.say('set the tagline to "Bread, daily" and make the accent colour green');
      expect(await site.settings()).toMatchObject({ tagline: 'Bread, daily', accentColor: '#15803d' });
      await talk.say('rename Rye bread to "Rye" and tag it with bread, rye');
      expect((await site.get('Rye')).draft).toMatchObject({ title: 'Rye', tags: ['bread', 'rye'] });
      const answer = await talk.say('undo the last two changes');
      expect((await site.get('Rye bread')).draft.tags ?? []).toEqual([]);
      expect(answer.text.match(/Undone:/g)).toHaveLength(2);
    }));

  it('reports errors as they are, and does not let "it" mean another page after a failure', () =>
    withSite(async (talk, site) => {
      await talk.say('show About us');
      const answer = await talk.say('create a page called Home and publish it');
      expect(answer.text).toMatch(/did not work \(create_content\)/);
      expect(answer.text).toContain('I cannot tell which page or post you mean');
      expect((await site.get('about-us')).status).toBe('draft');
      expect((await talk.say('publish Nowhere')).text).toBe('There is no page or post called "Nowhere".');
    }));

  it('says what it cannot do', () =>
    withSite(async (talk) => {
      const { text } = await talk.say('translate the Home page to French');
      expect(text).toMatch(/^I cannot do this: "translate the Home page to French"/);
    }));

  it('does what was asked in the middle of a turn as well', () =>
    withSite(async (talk, site) => {
      await talk.say('publish Home');
      talk.prompt.pop();
      const answer = await talk.say('publish About us');
      expect(toolsOf(answer)).toEqual([['publish_content'], []]);
      expect((await site.get('home')).revision).toBe(2);
      expect(answer.text.match(/Published/g)).toHaveLength(2);
    }));

  it('does all that was asked in messages that became one', () =>
    withSite(async (talk, site) => {
      const asked = ['publish Home', 'create a page called Glazes', 'list the posts'];
      expect((await talk.say(coalesceTexts(asked))).text).toMatch(/Published.*\n.*Glazes/);
      expect((await talk.say(coalesceTexts(['publish Glazes', 'publish About us']))).text).not.toContain('cannot');
      expect((await site.get('glazes')).status).toBe('published');
    }));

  it('ends every request with an answer or a question, within twelve steps, whatever the user writes', () =>
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
      ];
      const message = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 100 }),
        fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' ')),
      );
      await fc.assert(
        fc.asyncProperty(message, async (text) => {
          talk.prompt.length = 0;
          const { text: answer, steps } = await talk.say(text);
          expect(answer !== '' || steps.at(-1)?.calls.at(-1)?.toolName === 'ask_user').toBe(true);
        }),
        { numRuns: 150 },
      );
    }));
});
