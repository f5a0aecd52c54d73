import { ownWords } from '#server/core/conversation/added-text';
import type { JsonObject, JsonValue } from '#server/core/json';
import { createOfflineModel } from '#server/models/offline/offline-model';
import type { FakeOpenRouterOptions } from '#tests/support/fake-openrouter';
import { summaryText } from '#tests/support/openrouter-chat';
import { respondWithModel } from '#tests/support/respond-with-model';
import { isSummaryRequest } from '#tests/support/summary-requests';

/* A person builds a small site for a bakery, in 60 requests. */

const PAGES = [
  ['Our breads', 'our-breads', 'Rye, wheat and spelt, baked before dawn.'],
  ['About us', 'about-us', 'Nine bakers, two ovens & one cat.'],
  ['Find us', 'find-us', 'Mill Lane 4, behind the old pump.'],
  ['Catering', 'catering', 'Trays of rolls for offices and weddings.'],
  ['Größe & 日本', 'japan', 'Milk bread after a recipe from Kobe.'],
] as const;

const POSTS = [
  ['Why rye is slow', 'Rye needs three days of patience.'],
  ['Spelt season', 'The first spelt came in on Monday.'],
  ['A new oven', 'It weighs four tons and came by boat.'],
] as const;

/** What visitors must read in the end, by the path of the page that must show it. */
export const BAKERY_SHOWS: Readonly<Record<string, readonly string[]>> = {
  '/our-breads/': [
    'Rye, wheat and spelt, baked before dawn.',
    'Seven kinds a day',
    'Do you slice?',
    'Yes, while you wait.',
  ],
  '/about-us/': ['Nine bakers, two ovens', 'Best rye in town', 'Our bakers', 'Warm hands'],
  '/find-us/': ['Mill Lane 4, behind the old pump.', 'By bus', 'Line 12 stops at the pump.'],
  '/catering-trays/': ['Trays of rolls for offices and weddings.', 'Order by noon'],
  '/japan/': ['Milk bread after a recipe from Kobe.'],
  '/spelt-season/': ['The first spelt came in on Monday.'],
  '/sample-page/': ['Hi there! I’m a bike messenger by day', 'We bake for couriers.'],
  '/': ['Corner Bakery', 'Our breads', 'Find us'],
};

const q = (text: string) => `"${text}"`;

/** The requests, in their order. */
export const BAKERY_REQUESTS: readonly string[] = [
  'Change the site name to "Corner Bakery".',
  'Set the tagline to "Bread, daily"',
  'Always use British spelling.',
  ...PAGES.map(
    ([title, slug, text]) => `Create a page called ${q(title)} with the slug ${q(slug)} with the text ${q(text)}`,
  ),
  ...POSTS.map(([title, text]) => `Create a post called ${q(title)} with the text ${q(text)}`),
  'Show "Our breads"',
  'Add a hero section to "Our breads" with the heading "Seven kinds a day" and the subheading "And cake on Sundays"',
  'Add a faq section to "Our breads" with the question "Do you slice?" and the answer "Yes, while you wait."',
  'Add a question "Do you freeze?" with the answer "Never." to the faq on "Our breads"',
  'Publish "Our breads"',
  'Add "Our breads" to the navigation',
  'Add a quote section to "About us" with the quote "Best rye in town" by "Ann"',
  'Add a features section to "About us" with the feature "Warm hands" and the text "From kneading"',
  'Add a text section to "About us" saying "A text that goes away again"',
  'Remove the second text section from "About us"',
  'Add a hero section to "About us" with the heading "The bakers" and the subheading "Who we are"',
  'Change the heading of the last hero section on "About us" to "Our bakers"',
  'Move the hero section on "About us" to the top',
  'Set the excerpt of "About us" to "Who bakes."',
  'Add a posts list to "About us" with count 2',
  'Publish "About us"',
  'Add "About us" to the navigation as "Who we are"',
  'List the pages',
  'Add a features section to "Find us" with the feature "By bus" and the text "Line 12 stops at the pump."',
  'Add a feature "By bike" with the text "There are racks." to the features on "Find us"',
  'Publish "Find us"',
  'Add "Find us" to the navigation',
  'Add a call to action at the bottom of Catering with the heading "Order by noon", the button "Write to us" and the link "/our-breads"',
  'Change the slug of Catering to catering-trays',
  'Publish Catering',
  'Show Catering',
  'Add a text section to "Sample Page" saying "We bake for couriers."',
  'Publish "Sample Page"',
  'Publish "Größe & 日本"',
  'Publish "Why rye is slow"',
  'Publish "Spelt season"',
  'Change the title of "A new oven" to "Our new oven"',
  'Publish "Our new oven"',
  'Set the tags of "Spelt season" to bread, spelt',
  'Publish "Spelt season"',
  'Find posts about rye',
  'Create a page called "Careers" with the text "We look for a baker."',
  'Publish Careers',
  'Add Careers to the navigation',
  'Remove Careers from the navigation',
  'Delete the Careers page',
  'What changed recently?',
  'Unpublish "Our new oven"',
  'Add a text section to "Our breads" saying "Sold out by eleven."',
  'Change the text of the last text section on "Our breads" to "Sold out by ten."',
  'Publish "Our breads"',
  'Set the tagline to "Bread and buns, daily"',
  'List the posts',
  'Show "Our breads"',
];

interface Call {
  readonly toolName: string;
  readonly input: JsonObject;
}
/** Reads, then makes the call that follows from what was read. */
interface Script {
  readonly reads?: Call;
  readonly calls: (read: JsonObject) => Call;
}

const call = (toolName: string, input: JsonObject): Script => ({ calls: () => ({ toolName, input }) });
const list = (value: JsonValue | undefined) => (value ?? []) as JsonObject[];

/** Adds an entry to the list of the page's first section of this type. */
const addItem = (ref: string, type: string, item: JsonObject): Script => ({
  reads: { toolName: 'get_content', input: { ref } },
  calls: ({ sections }) => {
    const section = list(sections).find((each) => each.type === type);
    const { items } = (section?.fields ?? {}) as JsonObject;
    return {
      toolName: 'update_section',
      input: { sectionId: section?.id ?? '', fields: { items: [...list(items), item] } },
    };
  },
});
/** Calls a tool on one of the page's sections of this type. */
const onSection = (ref: string, type: string, index: number, toolName: string, more: JsonObject = {}): Script => ({
  reads: { toolName: 'get_content', input: { ref } },
  calls: ({ sections }) => {
    const section = list(sections).filter((each) => each.type === type)[index];
    return { toolName, input: { sectionId: section?.id ?? '', ...more } };
  },
});
const inMenu = (change: (items: JsonObject[]) => JsonObject[]): Script => ({
  reads: { toolName: 'get_navigation', input: {} },
  calls: ({ items }) => ({ toolName: 'set_navigation', input: { items: change(list(items)) } }),
});
const addToMenu = (label: string, href: string) => inMenu((items) => [...items, { label, href }]);

/** What is done for the requests that the basic assistant does not know. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  'Change the site name to "Corner Bakery".': call('set_settings', { siteName: 'Corner Bakery' }),
  'Set the tagline to "Bread, daily"': call('set_settings', { tagline: 'Bread, daily' }),
  'Set the tagline to "Bread and buns, daily"': call('set_settings', { tagline: 'Bread and buns, daily' }),
  'Add a question "Do you freeze?" with the answer "Never." to the faq on "Our breads"': addItem('Our breads', 'faq', {
    question: 'Do you freeze?',
    answer: 'Never.',
  }),
  'Add a feature "By bike" with the text "There are racks." to the features on "Find us"': addItem(
    'Find us',
    'features',
    {
      title: 'By bike',
      body: 'There are racks.',
    },
  ),
  'Add "Our breads" to the navigation': addToMenu('Our breads', '/our-breads'),
  'Add "About us" to the navigation as "Who we are"': addToMenu('Who we are', '/about-us'),
  'Add "Find us" to the navigation': addToMenu('Find us', '/find-us'),
  'Add Careers to the navigation': addToMenu('Careers', '/careers'),
  'Remove Careers from the navigation': inMenu((items) => items.filter(({ label }) => label !== 'Careers')),
  'Remove the second text section from "About us"': onSection('About us', 'text', 1, 'remove_section'),
  'Move the hero section on "About us" to the top': onSection('About us', 'hero', 0, 'move_section', { position: 1 }),
  'Set the excerpt of "About us" to "Who bakes."': call('update_content', { ref: 'About us', excerpt: 'Who bakes.' }),
  'Add a posts list to "About us" with count 2': call('add_section', {
    ref: 'About us',
    type: 'posts-list',
    fields: { count: 2 },
  }),
  'Add a call to action at the bottom of Catering with the heading "Order by noon", the button "Write to us" and the link "/our-breads"':
    call('add_section', {
      ref: 'Catering',
      type: 'call-to-action',
      fields: { heading: 'Order by noon', buttonLabel: 'Write to us', buttonHref: '/our-breads' },
    }),
  'Set the tags of "Spelt season" to bread, spelt': call('update_content', {
    ref: 'Spelt season',
    tags: ['bread', 'spelt'],
  }),
  'What changed recently?': call('list_revisions', {}),
};

const think = respondWithModel(createOfflineModel());

/** Answers the requests: by the scripts above, and as the basic assistant would. */
export const answerBakery: FakeOpenRouterOptions['respond'] = (request, index) => {
  if (isSummaryRequest(request))
    return { text: summaryText.replace('Build out the pottery site.', BAKERY_REQUESTS[0] ?? '') };
  const { messages } = request;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const script = Object.entries(SCRIPTS).find(([text]) => ownWords(textOf(messages[asked]?.content)) === text)?.[1];
  if (script === undefined) return think(request, index);
  const results = messages.slice(asked).filter(({ role }) => role === 'tool');
  const reads = script.reads === undefined ? [] : [script.reads];
  if (results.length > reads.length) return { text: 'Done.' };
  const next =
    reads[results.length] ?? script.calls(results[0] ? (JSON.parse(textOf(results[0].content)) as JsonObject) : {});
  return { toolCalls: [{ id: `call_${index}`, name: next.toolName, input: next.input }] };
};

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('');
}
