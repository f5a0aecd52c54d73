import { describe, expect, it } from 'vitest';
import type { ToolCall } from '#components/chat/parts/tool-call.ts';
import { toolTitle } from '#components/chat/parts/tool-titles.ts';

function call(name: string, fields: Partial<ToolCall>): ToolCall {
  const silent = {
    output: undefined,
    images: [],
    error: null,
    reason: null,
    approvalId: null,
    effect: null,
    durationMs: null,
    cleared: null,
    isWriting: false,
  };
  return { id: 'call_1', name, state: 'done', input: {}, ...silent, ...fields };
}

const pricing = { id: 'pag_1', type: 'page', title: 'Pricing', slug: 'pricing', status: 'draft' };

describe('toolTitle', () => {
  it.each([
    [
      'add_section',
      { ref: 'pricing', type: 'faq' },
      { ...pricing, sectionType: 'faq' },
      'Added a FAQ section to Pricing',
    ],
    ['add_section', {}, { ...pricing, sectionType: 'call-to-action' }, 'Added a call to action section to Pricing'],
    ['add_section', {}, { ...pricing, sectionType: 'image' }, 'Added a picture section to Pricing'],
    ['create_content', { type: 'page' }, pricing, 'Created the page Pricing'],
    ['update_section', {}, { ...pricing, fields: ['heading', 'body'] }, 'Changed heading, body on Pricing'],
    ['update_content', { ref: 'x', title: 'Pricing', slug: 'prices' }, pricing, 'Changed title, address of Pricing'],
    ['list_content', { type: 'page' }, { total: 1, items: [] }, 'Listed 1 page'],
    ['list_content', { type: 'post' }, { total: 8, items: [] }, 'Listed 8 posts'],
    ['search_content', { query: 'glaze', type: 'post' }, { hits: [1, 2] }, 'Searched posts for “glaze”: 2 matches'],
    [
      'search_content',
      { query: '€48', exact: true },
      { hits: [1], places: 7 },
      'Searched the site for “€48”: 7 matches',
    ],
    ['get_content', { refs: ['a', 'b'] }, { entries: [] }, 'Read 2 entries'],
    [
      'edit_text',
      { find: '€48', replace: '€52' },
      { replaced: 7, entries: [1, 2, 3] },
      'Replaced “€48” with “€52” in 7 places, 3 drafts',
    ],
    ['edit_text', { find: '€48', replace: '€52', dryRun: true }, { places: 7 }, 'Looked where “€48” stands: 7 places'],
    [
      'edit_items',
      { op: 'add' },
      { ...pricing, did: 'Added "Why?" to the FAQ section' },
      'Added "Why?" to the FAQ section',
    ],
    ['set_navigation', { op: 'add' }, { summary: 'Added "Shop" to the menu' }, 'Added "Shop" to the menu'],
    ['set_settings', { siteName: 'Fen' }, {}, 'Changed site name of the site'],
    ['keep_in_mind', { quote: 'Bitte duzen.' }, { kept: [] }, 'Kept in mind: “Bitte duzen.”'],
    ['keep_in_mind', { letGo: 'kep_1' }, { kept: [] }, 'Let go of a wish'],
    ['search_history', { query: 'glaze' }, { hits: [1] }, 'Searched this conversation for “glaze”: 1 match'],
    ['search_history', { from: 12 }, { messages: [1, 2] }, 'Read on in this conversation'],
    ['move_section', {}, { ...pricing, position: 2 }, 'Moved a section of Pricing to place 2'],
    ['list_media', { query: 'kiln' }, { total: 2 }, 'Looked through the pictures: 2 pictures'],
    ['add_media', { file: 'KILN.PNG' }, { filename: 'kiln.png' }, 'Added the picture kiln.png'],
    ['add_media', { file: 'b.png', replaces: 'ast_1' }, { filename: 'a.png' }, 'Replaced the picture a.png'],
    ['update_media', { ref: 'ast_1', alt: 'x' }, { filename: 'a.png' }, 'Changed description of a.png'],
    ['delete_content', { ref: 'ast_1' }, { filename: 'a.png' }, 'Deleted a.png'],
    ['find_tools', { query: 'sum' }, { tools: [1, 2] }, 'Looked for tools for “sum”: 2 tools'],
    ['load_tools', { names: ['a__b'] }, { loaded: ['everything__get-sum'] }, 'Loaded Everything: get-sum'],
    ['everything__get-sum', { a: 1 }, 'The sum is 1.', 'Everything: get-sum'],
    ['my-tools__look__up', {}, {}, 'My tools: look__up'],
    ['undo', {}, { summary: 'Undid: added a faq section' }, 'Undid: added a faq section'],
  ])('says what %s did', (name, input, output, title) => {
    expect(toolTitle(call(name, { input, output }))).toBe(title);
  });

  it('says what is being done while a tool runs', () => {
    expect(toolTitle(call('search_content', { state: 'running', input: { query: 'glaze', type: 'post' } }))).toBe(
      'Searching posts for “glaze”',
    );
    expect(toolTitle(call('publish_content', { state: 'running', input: { ref: 'Pricing' } }))).toBe(
      'Publishing Pricing',
    );
  });

  it('says what was tried when a tool failed', () => {
    expect(toolTitle(call('remove_section', { state: 'error', error: 'no' }))).toBe('Removing a section');
  });

  it.each([
    ['delete_content', { ref: 'pricing' }, 'Delete pricing'],
    ['publish_content', { ref: 'pricing' }, 'Publish pricing'],
    ['publish_content', { ref: 'pricing', at: '2033-01-05T09:00Z' }, 'Change when pricing is published'],
    ['set_navigation', {}, 'Change the menu'],
    ['edit_items', { op: 'remove', item: 'Do you ship?' }, 'Remove the item Do you ship?'],
    ['edit_text', { find: '€48', replace: '€52' }, 'Replace “€48” with “€52”'],
    ['create_content', { type: 'post', title: 'Glazes' }, 'Create a post called Glazes'],
  ])('says what %s would do while it waits for the user, and what it would have done', (name, input, title) => {
    expect(toolTitle(call(name, { state: 'waiting', input }))).toBe(title);
    expect(toolTitle(call(name, { state: 'denied', input }))).toBe(title);
  });

  it.each(['undo', 'ask_user', 'recall_output', 'get_settings', 'list_revisions', 'search_content', 'move_section'])(
    'has an order for %s',
    (name) => {
      expect(toolTitle(call(name, { state: 'waiting' }))).not.toMatch(/^\w+ing /);
    },
  );

  it('calls a page that is asked about by its title, not by its id', () => {
    const effect = { summary: '', changes: [], references: [], warnings: [] };
    const targets = [{ type: 'page', id: 'pag_1', title: 'Pricing', revision: 1 }];
    const asked = { state: 'waiting', input: { ref: 'pag_1', seo: {} }, effect: { ...effect, targets } } as const;
    expect(toolTitle(call('update_content', asked))).toBe('Change SEO details of Pricing');
  });

  it('holds on for input that is still being written', () => {
    expect(toolTitle(call('add_section', { state: 'running', input: undefined }))).toBe('Adding a section to a page');
    expect(toolTitle(call('update_section', { state: 'running', input: { fields: null } }))).toBe('Changing a section');
  });

  it('cuts a long name and keeps to one line of plain words for an unknown tool', () => {
    expect(toolTitle(call('get_content', { output: { title: 'A'.repeat(200) } })).length).toBeLessThan(70);
    expect(toolTitle(call('crm_lookup-contact', {}))).toBe('Crm lookup contact');
  });
});
