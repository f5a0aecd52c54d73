import { describe, expect, it } from 'vitest';
import type { ChatPart } from '#lib/chat-message';
import { toolCallOf, unwrapOutput } from '#lib/tool-call';

describe('unwrapOutput', () => {
  it('takes a bare output as it is, also one with a type of its own', () => {
    const output = { type: 'page', slug: 'about' };
    expect(unwrapOutput(output)).toBe(output);
  });

  it('opens the wire shape and JSON that arrives as text', () => {
    expect(unwrapOutput({ type: 'json', value: { a: 1 } })).toEqual({ a: 1 });
    expect(unwrapOutput({ type: 'text', value: '{"a":1}' })).toEqual({ a: 1 });
    expect(unwrapOutput('{"a": cut off')).toBe('{"a": cut off');
  });
});

describe('toolCallOf', () => {
  it('is null for anything but a tool part', () => {
    expect(toolCallOf({ type: 'text', text: 'hello' })).toBeNull();
  });

  it('names the tool of static and dynamic parts', () => {
    const common = { toolCallId: 'c', state: 'input-available', input: {} } as const;
    expect(toolCallOf({ type: 'tool-add_section', ...common })).toMatchObject({
      name: 'add_section',
      state: 'running',
    });
    expect(toolCallOf({ type: 'dynamic-tool', toolName: 'lookup', ...common })?.name).toBe('lookup');
  });

  it('carries the error of a failed call', () => {
    const part = {
      type: 'tool-undo',
      toolCallId: 'c',
      state: 'output-error',
      input: {},
      errorText: 'Nothing to undo.',
    };
    expect(toolCallOf(part as ChatPart)).toMatchObject({ state: 'error', error: 'Nothing to undo.' });
  });

  it.each([
    ['approval-requested', { id: 'a' }, 'waiting', null],
    ['approval-responded', { id: 'a', approved: true }, 'approved', null],
    ['approval-responded', { id: 'a', approved: false, reason: 'Not today.' }, 'denied', 'Not today.'],
    ['output-denied', { id: 'a', approved: false, reason: 'Not today.' }, 'denied', 'Not today.'],
    ['output-denied', { id: 'a', approved: false }, 'denied', null],
  ])('tells how the user decided: %s %j', (state, approval, expected, reason) => {
    const part = { type: 'tool-undo', toolCallId: 'c', state, input: {}, approval } as ChatPart;
    expect(toolCallOf(part)).toMatchObject({ state: expected, reason });
  });
});
