import { describe, expect, it } from 'vitest';
import type { ChatPart } from '#components/api/chat-message.ts';
import { toolCallOf, unwrapOutput } from '#components/chat/parts/tool-call.ts';

describe('unwrapOutput', () => {
  it('returns a bare output unchanged, also one that has a type field', () => {
    const output = { type: 'page', slug: 'about' };
    expect(unwrapOutput(output)).toBe(output);
  });

  it('opens the wire shape and JSON that arrives as text', () => {
    expect(unwrapOutput({ type: 'json', value: { a: 1 } })).toEqual({ a: 1 });
    expect(unwrapOutput({ type: 'text', value: '{"a":1}' })).toEqual({ a: 1 });
    expect(unwrapOutput('{"a": cut off')).toBe('{"a": cut off');
  });
});

describe('the images of a result', () => {
  const part = (value: unknown) =>
    toolCallOf({
      type: 'tool-draw',
      toolCallId: 'c1',
      state: 'output-available',
      input: {},
      output: { type: 'content', value },
    });
  const image = { type: 'file', mediaType: 'image/png', filename: 'plan.png', url: '/api/attachments/blb_1' };

  it('are shown next to its texts', () => {
    const pieces = [
      { type: 'text', text: 'Look' },
      { ...image, width: 640, height: 480 },
      { type: 'text', text: '{"a":1}' },
    ];
    expect(part(pieces)).toMatchObject({
      output: ['Look', { a: 1 }],
      images: [{ url: image.url, mediaType: 'image/png', filename: 'plan.png', width: 640, height: 480 }],
    });
    expect(part([{ type: 'text', text: '{"a":1}' }, image])).toMatchObject({
      output: { a: 1 },
      images: [{ width: undefined }],
    });
    expect(part([image])).toMatchObject({ output: undefined, images: [{}] });
  });

  it.each([
    { ...image, url: 'https://tracker.example/pixel.png' },
    { ...image, url: '//tracker.example/api/attachments/x' },
    { ...image, url: '@blob:blb_1' },
    { ...image, mediaType: 'text/html' },
    { type: 'file' },
    'x',
  ])('are none that are not kept here: %j', (piece) => {
    expect(part([piece])?.images).toEqual([]);
  });
});

describe('toolCallOf', () => {
  it('takes only duration and mark from the metadata of a result', () => {
    const done = {
      type: 'tool-list_content',
      toolCallId: 'c',
      state: 'output-available',
      input: {},
      output: 'x',
    } as const;
    const withFacts = (throughline: Record<string, string | number>) =>
      toolCallOf({ ...done, resultProviderMetadata: { throughline } });
    expect(toolCallOf(done)).toMatchObject({ durationMs: null, cleared: null });
    expect(withFacts({ durationMs: 400, cleared: 'whole' })).toMatchObject({ durationMs: 400, cleared: 'whole' });
    expect(withFacts({ cleared: 'excerpt' })).toMatchObject({ durationMs: null, cleared: 'excerpt' });
    expect(withFacts({ durationMs: 'long', cleared: 'no' })).toMatchObject({ durationMs: null, cleared: null });
  });

  it.each([
    ['approval-requested', { id: 'a' }, 'waiting', null],
    ['approval-responded', { id: 'a', approved: true }, 'approved', null],
    ['approval-responded', { id: 'a', approved: false, reason: 'Not today.' }, 'denied', 'Not today.'],
    ['output-denied', { id: 'a', approved: false, reason: 'Not today.' }, 'denied', 'Not today.'],
    ['output-denied', { id: 'a', approved: false }, 'denied', null],
  ])('reads the decision: %s %j', (state, approval, expected, reason) => {
    const part = { type: 'tool-undo', toolCallId: 'c', state, input: {}, approval } as ChatPart;
    expect(toolCallOf(part)).toMatchObject({ state: expected, reason });
  });
});
