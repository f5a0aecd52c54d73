import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderTranscript } from '#server/context/render-transcript';
import { countTokens } from '#server/context/tokens';
import { call, editingHistory, result, storedMessages, text } from '#tests/support/arbitrary-history';

const PLENTY = 100_000;

describe('renderTranscript', () => {
  it('quotes the previous summary first, then every message with its calls and results', () => {
    const messages = storedMessages([
      { role: 'user', parts: [text('Make a page')] },
      { role: 'assistant', parts: [text('Sure.'), call('c1', 'create_content', { title: 'Clay' })] },
      { role: 'tool', parts: [result('c1', 'pag_1', 'create_content')] },
    ]);
    expect(renderTranscript(messages, 'Before that.', PLENTY)).toBe(
      [
        '<previous-summary>\nBefore that.\n</previous-summary>',
        '<user>\nMake a page\n</user>',
        '<assistant>\nSure.\ncalls create_content {"title":"Clay"}\n</assistant>',
        '<tool>\nresult of create_content: pag_1\n</tool>',
      ].join('\n'),
    );
  });

  it('never sends the bytes of a file, reasoning, or messages without content', () => {
    const image = { mediaType: 'image/png', filename: 'vase.png', url: `data:image/png;base64,${'A'.repeat(5_000)}` };
    const messages = storedMessages([
      { role: 'user', parts: [{ type: 'file', content: image }] },
      { role: 'assistant', parts: [{ type: 'reasoning', content: { text: 'secret' } }] },
      { role: 'assistant', parts: [] },
    ]);
    expect(renderTranscript(messages, null, PLENTY)).toBe('<user>\n[file vase.png image/png]\n</user>');
  });

  it('quotes so that no content can end its quote or pretend to be somebody else', () => {
    const tags = fc.constantFrom('user', 'assistant', 'tool', 'transcript', 'previous-summary');
    const spaces = fc.constantFrom('', ' ', '\n');
    const tag = fc
      .tuple(fc.constantFrom('<', '</', '< /'), tags, fc.boolean(), spaces)
      .map(([open, name, shouts, space]) => `${open}${shouts ? name.toUpperCase() : name}${space}>`);
    fc.assert(
      fc.property(fc.array(fc.oneof(tag, fc.lorem()), { maxLength: 8 }), (pieces) => {
        const hostile = pieces.join('');
        const messages = storedMessages([{ role: 'tool', parts: [result('c', hostile)] }]);
        const inside = renderTranscript(messages, hostile, PLENTY);
        const found = inside.match(/<\s*\/?\s*(user|assistant|tool|transcript|previous-summary)\s*>/gi);
        expect(found).toEqual(['<previous-summary>', '</previous-summary>', '<tool>', '</tool>']);
      }),
    );
  });

  it('always fits the budget; the newest message and the beginning stay longest', () => {
    fc.assert(
      fc.property(editingHistory, fc.integer({ min: 200, max: 3_000 }), (messages, tokens) => {
        const rendered = renderTranscript(messages, 'What was before.', tokens);
        expect(countTokens(rendered)).toBeLessThanOrEqual(tokens);
        expect(rendered).toContain('What was before.');
        expect(rendered).toContain(`Done with ${messages.filter((message) => message.role === 'user').length - 1}.`);
      }),
      { numRuns: 30 },
    );
  });
});
