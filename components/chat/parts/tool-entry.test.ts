import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '#components/api/chat-message.ts';
import { toolCallOf } from '#components/chat/parts/tool-call.ts';
import { latestWrite, sectionsOfCall } from '#components/chat/parts/tool-entry.ts';

const done = (name: string, toolCallId: string, output: unknown) =>
  ({ type: `tool-${name}`, toolCallId, state: 'output-available', input: {}, output }) as ChatMessage['parts'][number];

const message = (...parts: ChatMessage['parts']): ChatMessage => ({ id: 'm', role: 'assistant', parts });

const about = { type: 'page', slug: 'about', title: 'About' };

describe('latestWrite', () => {
  it('is the newest finished change, not a later read', () => {
    const messages = [
      message(done('add_section', 'a', about)),
      message(done('get_content', 'b', { ...about, slug: 'x' })),
    ];
    expect(latestWrite(messages)).toEqual({
      id: 'm/a',
      entry: { type: 'page', slug: 'about', title: 'About' },
      sectionIds: [],
      isGone: false,
    });
  });

  it('distinguishes two changes whose calls share an id', () => {
    const first = message(done('add_section', 'call_1', about));
    const second = { ...message(done('add_section', 'call_1', about)), id: 'm2' };
    expect(latestWrite([first, second])?.id).not.toBe(latestWrite([first])?.id);
  });

  it('names every section of the entry that the answer wrote, none of other answers or entries', () => {
    const wrote = (id: string, sectionId: string, slug = 'about', tool = 'update_section') =>
      done(tool, id, { ...about, slug, sectionId });
    const messages = [
      message(wrote('a', 'sec_old')),
      message(
        wrote('b', 'sec_hero'),
        wrote('c', 'sec_elsewhere', 'contact'),
        wrote('d', 'sec_gone'),
        wrote('e', 'sec_gone', 'about', 'remove_section'),
        wrote('f', 'sec_faq'),
      ),
    ];
    expect(latestWrite(messages)?.sectionIds).toEqual(['sec_faq', 'sec_hero']);
  });

  it('waits for a change that still runs', () => {
    const running = { type: 'tool-add_section', toolCallId: 'b', state: 'input-available', input: {} } as const;
    expect(
      latestWrite([message(done('create_content', 'a', about), running as ChatMessage['parts'][number])])?.id,
    ).toBe('m/a');
  });

  it('finds the entry an undo concerns, and none for the menu', () => {
    const undo = done('undo', 'a', { changeId: 'chg', target: 'post', slug: 'ash', title: 'Ash' });
    expect(latestWrite([message(undo)])?.entry).toEqual({ type: 'post', slug: 'ash', title: 'Ash' });
    expect(latestWrite([message(done('set_navigation', 'b', { items: [] }))])).toMatchObject({ entry: null });
  });
});

it('marks the section that a call has written, none that it took away or only read', () => {
  const sectionsOf = (name: string) => sectionsOfCall(toolCallOf(done(name, 'a', { ...about, sectionId: 'sec_faq' }))!);
  expect(sectionsOf('add_section')).toEqual(['sec_faq']);
  expect(sectionsOf('remove_section')).toEqual([]);
  expect(sectionsOf('get_content')).toEqual([]);
});
