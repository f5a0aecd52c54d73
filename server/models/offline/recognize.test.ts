import { describe, expect, it } from 'vitest';
import { splitClauses } from '#server/models/offline/grammar';
import { recognize } from '#server/models/offline/intents';

const read = (message: string) => splitClauses(message).map(recognize);

describe('what a single request is understood as', () => {
  it.each([
    ['create a page called Pricing', { intent: 'create', type: 'page', title: 'Pricing', details: {} }],
    [
      'Please create a new page named "Terms and Conditions".',
      { intent: 'create', type: 'page', title: 'Terms and Conditions', details: {} },
    ],
    [
      'Create a page called Pricing about our three plans',
      { intent: 'create', title: 'Pricing', about: 'our three plans' },
    ],
    [
      'make a post titled "All About Rye" about rye bread',
      { intent: 'create', type: 'post', title: 'All About Rye', about: 'rye bread' },
    ],
    [
      'write a blog post called Opening hours with the text "We open at 7. Come early!"',
      { intent: 'create', type: 'post', title: 'Opening hours', text: 'We open at 7. Come early!' },
    ],
    ['create a page about gift cards', { intent: 'create', title: 'Gift cards', about: 'gift cards' }],
    ['create a "Team" page', { intent: 'create', type: 'page', title: 'Team' }],
    ['add a new Careers page', { intent: 'create', type: 'page', title: 'Careers' }],
    [
      'create a post called Rye with the slug "rye-bread" and tags bread, rye',
      { intent: 'create', title: 'Rye', details: { slug: 'rye-bread', tags: ['bread', 'rye'] } },
    ],
    [
      'add a faq section to Pricing with the question "Is it free?" and the answer "Yes."',
      {
        intent: 'add-section',
        ref: 'Pricing',
        type: 'faq',
        fields: { items: [{ question: 'Is it free?', answer: 'Yes.' }] },
      },
    ],
    [
      'add a faq section to Pricing with question Is it free? and answer Yes it is',
      { intent: 'add-section', type: 'faq', fields: { items: [{ question: 'Is it free', answer: 'Yes it is' }] } },
    ],
    [
      'add a hero section to the Team page with heading "Who we are" and subheading "Nine bakers"',
      {
        intent: 'add-section',
        ref: 'Team',
        type: 'hero',
        fields: { heading: 'Who we are', subheading: 'Nine bakers' },
      },
    ],
    [
      'add a text section to Home saying "Fresh every day"',
      { intent: 'add-section', ref: 'Home', type: 'text', fields: { body: 'Fresh every day' } },
    ],
    [
      'add a text section with "Fresh bread" to Home',
      { intent: 'add-section', ref: 'Home', type: 'text', fields: { body: 'Fresh bread' } },
    ],
    [
      'add a testimonial to Home with the quote "Best rye in town" by "Ann"',
      { intent: 'add-section', type: 'quote', fields: { quote: 'Best rye in town', author: 'Ann' } },
    ],
    [
      'insert a call to action at the top of Pricing with heading "Start today", button "Sign up" and link "/signup"',
      {
        intent: 'add-section',
        ref: 'Pricing',
        type: 'call-to-action',
        position: 1,
        fields: { heading: 'Start today', buttonLabel: 'Sign up', buttonHref: '/signup' },
      },
    ],
    ['add a gallery to About', { intent: 'add-section', ref: 'About', type: 'gallery', fields: {} }],
    [
      'add an image section to About with the image "/images/oven.jpg" and alt text "Our oven"',
      { intent: 'add-section', type: 'image', fields: { src: '/images/oven.jpg', alt: 'Our oven' } },
    ],
    [
      'add a features section to Home with the feature "Fast" and the text "In a day" and the feature "Fair" and the text "Fixed price"',
      {
        intent: 'add-section',
        type: 'features',
        fields: {
          items: [
            { title: 'Fast', body: 'In a day' },
            { title: 'Fair', body: 'Fixed price' },
          ],
        },
      },
    ],
    ['add a posts list to Home with count 5', { intent: 'add-section', type: 'posts-list', fields: { count: 5 } }],
    [
      'add a contact form to Contact at position 2',
      { intent: 'add-section', ref: 'Contact', type: 'form', position: 2 },
    ],
    [
      'change the hero heading on Home to "Welcome to the bakery"',
      { intent: 'change-section', ref: 'Home', type: 'hero', label: 'heading', value: 'Welcome to the bakery' },
    ],
    [
      'Change the heading of the hero on Home to Good bread',
      { intent: 'change-section', ref: 'Home', type: 'hero', label: 'heading', value: 'Good bread' },
    ],
    [
      'update Home\'s hero subheading to "Since 1984"',
      { intent: 'change-section', ref: 'Home', type: 'hero', label: 'subheading', value: 'Since 1984' },
    ],
    [
      'set the subheading on Pricing to "Simple plans"',
      { intent: 'change-section', ref: 'Pricing', label: 'subheading', value: 'Simple plans' },
    ],
    [
      'change the text of the second text section on About to "New words"',
      { intent: 'change-section', ref: 'About', type: 'text', ordinal: 1, label: 'text', value: 'New words' },
    ],
    [
      'could you set the call to action button on Home to "Order now"?',
      { intent: 'change-section', type: 'call-to-action', label: 'button', value: 'Order now' },
    ],
    [
      'add a question "Do you deliver?" with the answer "Yes, daily." to the faq on Pricing',
      { intent: 'add-item', type: 'faq', ref: 'Pricing', item: { question: 'Do you deliver?', answer: 'Yes, daily.' } },
    ],
    [
      'add the question "Why?" and answer "Because." to the FAQ section of About us',
      { intent: 'add-item', ref: 'About us', item: { question: 'Why?', answer: 'Because.' } },
    ],
    [
      'add a feature "Warm" with the text "Straight from the oven" to the features on Home',
      { intent: 'add-item', type: 'features', item: { title: 'Warm', body: 'Straight from the oven' } },
    ],
    [
      'move the faq section on Pricing to the top',
      { intent: 'move-section', ref: 'Pricing', type: 'faq', position: 1 },
    ],
    ['move the quote to the bottom of Home', { intent: 'move-section', ref: 'Home', type: 'quote', position: -1 }],
    [
      'move the last text section on About to position 2',
      { intent: 'move-section', ref: 'About', type: 'text', ordinal: -1, position: 2 },
    ],
    ['remove the quote section from Home', { intent: 'remove-section', ref: 'Home', type: 'quote', ordinal: 0 }],
    ['delete the call to action on Pricing', { intent: 'remove-section', ref: 'Pricing', type: 'call-to-action' }],
    ['rename the Pricing page to Plans', { intent: 'change-detail', ref: 'Pricing', detail: 'title', value: 'Plans' }],
    [
      'change the title of Plans to "Our plans"',
      { intent: 'change-detail', ref: 'Plans', detail: 'title', value: 'Our plans' },
    ],
    [
      'set the excerpt of Pricing to "What it costs."',
      { intent: 'change-detail', ref: 'Pricing', detail: 'excerpt', value: 'What it costs.' },
    ],
    ['set the slug of Our Team to team', { intent: 'change-detail', ref: 'Our Team', detail: 'slug', value: 'team' }],
    [
      'set the tags of "Rye bread" to bread, rye and baking',
      { intent: 'change-detail', ref: 'Rye bread', detail: 'tags', value: ['bread', 'rye', 'baking'] },
    ],
    ['tag Rye bread with baking', { intent: 'change-detail', ref: 'Rye bread', detail: 'tags', value: ['baking'] }],
    ["change Pricing's slug to plans", { intent: 'change-detail', ref: 'Pricing', detail: 'slug', value: 'plans' }],
    ['delete the Careers page', { intent: 'delete', ref: 'Careers' }],
    ['delete the post "Old news"', { intent: 'delete', ref: 'Old news' }],
    ['publish Pricing', { intent: 'publish', ref: 'Pricing' }],
    ['publish it, please', { intent: 'publish', ref: 'it' }],
    ['unpublish the Team page', { intent: 'unpublish', ref: 'Team' }],
    ['take Pricing offline', { intent: 'unpublish', ref: 'Pricing' }],
    ['list the pages', { intent: 'list', what: ['pages'] }],
    ['List all the posts.', { intent: 'list', what: ['posts'] }],
    ['which pages do we have?', { intent: 'list', what: ['pages'] }],
    ['list the pages and posts', { intent: 'list', what: ['pages', 'posts'] }],
    ['show the navigation', { intent: 'list', what: ['navigation'] }],
    ['show me the settings', { intent: 'list', what: ['settings'] }],
    ['show Pricing', { intent: 'show', ref: 'Pricing' }],
    ['show me the page /pricing', { intent: 'show', ref: 'pricing' }],
    ["what's on the homepage?", { intent: 'show', ref: 'Home' }],
    ['find posts about sourdough', { intent: 'find', query: 'sourdough', type: 'post' }],
    ['search pages for delivery', { intent: 'find', query: 'delivery', type: 'page' }],
    ['search for rye flour', { intent: 'find', query: 'rye flour' }],
    ['add Pricing to the navigation', { intent: 'add-to-navigation', name: 'Pricing' }],
    ['put the Team page in the menu as "People"', { intent: 'add-to-navigation', name: 'Team', label: 'People' }],
    ['remove Blog from the navigation', { intent: 'remove-from-navigation', name: 'Blog' }],
    [
      'change the site name to Corner Bakery',
      { intent: 'change-setting', setting: 'siteName', value: 'Corner Bakery' },
    ],
    ['set the tagline to "Bread, daily"', { intent: 'change-setting', setting: 'tagline', value: 'Bread, daily' }],
    [
      'update the footer text to "© Corner Bakery"',
      { intent: 'change-setting', setting: 'footerText', value: '© Corner Bakery' },
    ],
    [
      'change the contact email to hello@corner.example',
      { intent: 'change-setting', setting: 'contactEmail', value: 'hello@corner.example' },
    ],
    ['set the accent colour to #1a2b3c', { intent: 'change-setting', setting: 'accentColor', value: '#1a2b3c' }],
    ['make the accent color green', { intent: 'change-setting', setting: 'accentColor', value: '#15803d' }],
    ['undo that', { intent: 'undo', times: 1 }],
    ['undo the last two changes', { intent: 'undo', times: 2 }],
    ['undo chg_k7m2p9', { intent: 'undo', changeId: 'chg_k7m2p9', times: 1 }],
    ['what changed recently?', { intent: 'changes' }],
    ['show the history of Pricing', { intent: 'changes', ref: 'Pricing' }],
    ['which section types are there?', { intent: 'section-types' }],
    ['recall prt_01hxyz', { intent: 'recall', id: 'prt_01hxyz' }],
    ['always use British spelling', { intent: 'standing', text: 'always use British spelling' }],
    [
      'Never use the word "cheap" and publish nothing on Fridays.',
      { intent: 'standing', text: 'Never use the word "cheap" and publish nothing on Fridays' },
    ],
    ['On this site, never promise a delivery date.', { intent: 'remember', text: 'Never promise a delivery date.' }],
    ['please always say "kiln" on the whole site', { intent: 'remember', text: 'Always say "kiln".' }],
    [
      'From now on, for our site always use British spelling',
      { intent: 'remember', text: 'Always use British spelling.' },
    ],
    ['never link to the site of a rival', { intent: 'standing', text: 'never link to the site of a rival' }],
    ['what are my standing instructions?', { intent: 'standing-list' }],
    ['What have we done so far?', { intent: 'done-so-far' }],
    ['what did I ask first?', { intent: 'first-request' }],
    ['What did I ask you to do first?', { intent: 'first-request' }],
    ['what was my first request?', { intent: 'first-request' }],
    ['help', { intent: 'help' }],
    ['What can you do?', { intent: 'help' }],
    ['Hello!', { intent: 'greeting' }],
    ['thank you', { intent: 'greeting' }],
    ['translate Pricing to French', { intent: 'unknown', text: 'translate Pricing to French' }],
    ['why is the sky blue?', { intent: 'unknown', text: 'why is the sky blue' }],
  ])('%s', (message, expected) => {
    expect(read(message)).toEqual([expect.objectContaining(expected)]);
  });
});

describe('several requests in one message', () => {
  const intents = (message: string) => read(message).map(({ intent }) => intent);

  it.each([
    ['create a page called Pricing and publish it', ['create', 'publish']],
    [
      'create a page called Pricing about plans, add a faq section to it, then publish it',
      ['create', 'add-section', 'publish'],
    ],
    ['list the pages\nshow the navigation', ['list', 'list']],
    ['- publish Home\n- publish "Pricing"\n\n2. undo that', ['publish', 'publish', 'undo']],
    ['Publish Pricing. Always use British spelling. What did I ask first?', ['publish', 'standing', 'first-request']],
    ['always be brief and never use blue', ['standing', 'standing']],
    ['change the hero heading on Home to "Bread and publish it" and publish Home', ['change-section', 'publish']],
    ['create a page called Pricing and translate it to French', ['create', 'unknown']],
    ['publish Terms and Conditions', ['publish']],
    ['From now on, always use short sentences', ['standing']],
    ['Publish Home. On this site, never use blue. On this site, list the pages', ['publish', 'remember', 'list']],
    ['what is the site name?', ['list']],
    ['never mind', ['unknown']],
    ['Hello, could you please list the posts and find pages about rye?', ['list', 'find']],
    ["change the hero heading on Home to 'Bob's Bakery and show' and undo that", ['change-section', 'undo']],
  ])('%s', (message, expected) => {
    expect(intents(message)).toEqual(expected);
  });

  it('keeps the sentences of unquoted content together', () => {
    expect(read('create a post called Hours with the text We open at 7. Bring a bag. Publish it.')).toMatchObject([
      { intent: 'create', title: 'Hours', text: 'We open at 7. Bring a bag' },
      { intent: 'publish', ref: 'it' },
    ]);
  });

  it('keeps a quoted text exactly, line breaks and quotation marks of other kinds included', () => {
    const text = 'First line.\n\n- "not" a clause\n- publish everything  ';
    expect(read(`add a text section to Home with “${text}”`)).toMatchObject([{ fields: { body: text } }]);
  });
});
