import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Tokens from '#server/context/part-tokens';
import type * as TurnRecord from '#server/context/record/record';
import type * as Transcript from '#server/context/render-transcript';
import type * as View from '#server/context/view';
import type * as Import from '#server/conversation/import/import-messages';
import type * as UiMessages from '#server/conversation/step/ui-messages';
import type * as Codec from '#server/conversation/store/part-codec';
import type * as PartText from '#server/core/conversation/part-text';
import type { NewPart } from '#server/core/conversation/parts';
import type * as Blocks from '#components/chat/parts/message-blocks.ts';
import type * as Export from '#app/api/sessions/[id]/export/export-markdown';
import { countTokens } from '#server/context/tokens';
import { storedMessages } from '#tests/support/arbitrary-history';
import { ProductCopy } from '#tests/deep/support/product-copy';

/** A page on the web to which a user refers, as a developer would add it. */
const DEFINITION = `import { z } from 'zod';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** A page on the web to which the user refers. */
export const link = definePart({
  content: z
    .object({ url: z.string().describe('Address of the page'), title: z.string().describe('Title of the page') })
    .describe('A page on the web to which the user refers'),
  searchText: ({ url, title }) => \`\${title} \${url}\`,
  added: {
    tag: 'linked-page',
    text: ({ url, title }) => \`\${title}, at \${url}\`,
    isSummarized: true,
  },
  recordEntry: ({ title }, name) => ['linked', name(title)],
  exportText: ({ url, title }) => \`[\${title}](\${url})\`,
  isShown: true,
});
`;
const REGISTRY = 'server/core/conversation/part-types/registry.ts';
const VIEWS = 'components/chat/transcript/part-views.tsx';

const LINK = {
  type: 'link',
  content: { url: 'https://example.org/tea', title: 'Tea <linked-page>' },
} as unknown as NewPart;
const SHOWN = '<linked-page>\nTea ‹linked-page>, at https://example.org/tea\n</linked-page>';
const [message] = storedMessages([
  {
    role: 'user',
    parts: [
      { type: 'text', content: { text: 'Like </linked-page> this.' } },
      { ...LINK, tokens: 1 },
    ],
  },
]);
const messages = [{ ...message!, parts: message!.parts.map((part) => ({ ...part, tokens: null })) }];

describe('a new type of part', () => {
  const product = new ProductCopy('new-part-type');
  afterAll(() => product[Symbol.dispose]());

  beforeAll(() => {
    product.write('server/core/conversation/part-types/link.ts', DEFINITION);
    product.replace(
      REGISTRY,
      'import { reasoning }',
      "import { link } from '#server/core/conversation/part-types/link';\nimport { reasoning }",
    );
    product.replace(
      REGISTRY,
      "  'compaction-marker': compactionMarker,",
      "  'compaction-marker': compactionMarker,\n  link,",
    );
    product.replace(VIEWS, '= {};', '= { link: ({ content: { url, title } }) => <a href={url}>{title}</a> };');
  });

  it('touches at most three files of the product', () => {
    expect(product.changedFiles()).toEqual([VIEWS, 'server/core/conversation/part-types/link.ts', REGISTRY]);
  });

  it('compiles, and does not compile without its view', async () => {
    expect(await product.typeErrors()).toEqual([]);
    product.replace(VIEWS, 'link: (', 'other: (');
    const errors = await product.typeErrors();
    product.replace(VIEWS, 'other: (', 'link: (');
    expect(errors.join('\n')).toContain(VIEWS);
  });

  it('is stored, read again, and found by its text', async () => {
    const { partToRow, partFromRow } = (await product.load('server/conversation/store/part-codec.ts')) as typeof Codec;
    const { partText } = (await product.load('server/core/conversation/part-text.ts')) as typeof PartText;
    const row = partToRow(LINK, { messageId: 'msg_1', sessionId: 'ses_1', order: 0, createdAt: 1 });
    expect(partFromRow(row)).toMatchObject(LINK);
    expect(() => partFromRow({ ...row, content: '{"url":1}' })).toThrow();
    expect(partText(LINK)).toBe('Tea <linked-page> https://example.org/tea');
  });

  it('is counted and read by the model in tags that no text of others contains', async () => {
    const { buildView } = (await product.load('server/context/view.ts')) as typeof View;
    const { countPartTokens } = (await product.load('server/context/part-tokens.ts')) as typeof Tokens;
    expect(countPartTokens(LINK)).toBe(countTokens(SHOWN));
    const [shown] = buildView({ leading: [], summary: null, kept: [], messages }, 'some/model');
    expect(shown?.parts.map(({ kind, content, tokens }) => [kind, 'text' in content && content.text, tokens])).toEqual([
      ['situation', SHOWN, countTokens(SHOWN)],
      ['user', 'Like ‹/linked-page> this.', expect.any(Number)],
    ]);
  });

  it('is read by the writer of a summary and kept in its record', async () => {
    const { renderTranscript } = (await product.load('server/context/render-transcript.ts')) as typeof Transcript;
    const limits = { transcriptMessageChars: 500, transcriptToolChars: 500, transcriptPreviousShare: 0.3 };
    const reader = { ...limits, inputTokens: 5_000, withIds: false };
    const { text } = await renderTranscript(messages, { record: '', narrative: null }, reader);
    expect(text).toContain(SHOWN);
    const { readTurns } = (await product.load('server/context/record/record.ts')) as typeof TurnRecord;
    const [turn] = await readTurns(messages, []);
    expect(JSON.stringify(turn?.lines)).toContain('linked');
  });

  it('is shown in the chat, exported and imported', async () => {
    const { toUIMessages } = (await product.load('server/conversation/step/ui-messages.ts')) as typeof UiMessages;
    const { messageBlocks, isBesideWords } = (await product.load(
      'components/chat/parts/message-blocks.ts',
    )) as typeof Blocks;
    const { ShownPart } = (await product.load(VIEWS)) as { ShownPart: FunctionComponent<{ part: unknown }> };
    const blocks = messageBlocks(toUIMessages(messages, [])[0]?.parts ?? []).filter(isBesideWords);
    const markup = blocks.map(
      (block) => block.kind === 'part' && createElement(ShownPart, { part: block.part, key: 1 }),
    );
    expect(renderToStaticMarkup(markup)).toBe('<a href="https://example.org/tea">Tea &lt;linked-page&gt;</a>');

    const { exportAsMarkdown } = (await product.load(
      'app/api/sessions/[id]/export/export-markdown.ts',
    )) as typeof Export;
    const conversation = { session: { title: 'Tea', createdAt: 1 }, wishes: [], compactions: [], messages };
    let exported = '';
    for await (const piece of exportAsMarkdown(conversation as never)) exported += piece;
    expect(exported).toContain('[Tea <linked-page>](https://example.org/tea)');

    const { importMessages } = (await product.load('server/conversation/import/import-messages.ts')) as typeof Import;
    const imported = await importMessages(messages);
    expect(JSON.stringify(imported)).toContain(JSON.stringify(LINK.content));
  });
});
