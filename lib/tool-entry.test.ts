import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '#lib/chat-message';
import { latestWrite } from '#lib/tool-entry';

const done = (name: string, toolCallId: string, output: unknown) =>
  ({ type: `tool-${name}`, toolCallId, state: 'output-available', input: {}, output }) as ChatMessage['parts'][number];

const message = (...parts: ChatMessage['parts']): ChatMessage => ({ id: 'm', role: 'assistant', parts });

const about = { type: 'page', slug: 'about', title: 'About' };

describe('latestWrite', () => {
  it('is null while nothing was changed', () => {
    expect(latestWrite([message(done('get_content', 'a', about))])).toBeNull();
  });

  it('is the newest finished change, not a later read', () => {
    const messages = [
      message(done('add_section', 'a', about)),
      message(done('get_content', 'b', { ...about, slug: 'x' })),
    ];
    expect(latestWrite(messages)).toEqual({
      toolCallId: 'a',
      entry: { type: 'page', slug: 'about', title: 'About' },
      sectionId: null,
      isGone: false,
    });
  });

  it('names the section that was written, but not one that was removed', () => {
    const output = { ...about, sectionId: 'sec_faq1' };
    expect(latestWrite([message(done('add_section', 'a', output))])?.sectionId).toBe('sec_faq1');
    expect(latestWrite([message(done('remove_section', 'b', output))])?.sectionId).toBeNull();
  });

  it('waits for a change that still runs', () => {
    const running = { type: 'tool-add_section', toolCallId: 'b', state: 'input-available', input: {} } as const;
    expect(
      latestWrite([message(done('create_content', 'a', about), running as ChatMessage['parts'][number])])?.toolCallId,
    ).toBe('a');
  });

  it('finds the entry an undo concerns, and none for the menu', () => {
    const undo = done('undo', 'a', { changeId: 'chg', target: 'post', slug: 'ash', title: 'Ash' });
    expect(latestWrite([message(undo)])?.entry).toEqual({ type: 'post', slug: 'ash', title: 'Ash' });
    expect(latestWrite([message(done('set_navigation', 'b', { items: [] }))])).toMatchObject({ entry: null });
  });

  it('marks a deleted entry as gone', () => {
    expect(latestWrite([message(done('delete_content', 'a', about))])?.isGone).toBe(true);
  });
});
