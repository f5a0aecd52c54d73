import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Events from '#server/core/conversation/events';
import { ProductCopy } from '#tests/deep/support/product-copy';

/** Declares the answer of `GET /api/message/queue`, and makes it. */
const SCHEMA = 'server/core/conversation/events.ts';
const SCREEN = 'components/chat/composer/queue-list.tsx';

const toField = {
  '/** Converts a queued message to the form of events. */': `const selectedTextOf = ({ parts }: QueuedMessage) =>
  parts.flatMap((part) => (part.type === 'selection' ? [part.content.text] : []))[0] ?? null;

/** Converts a queued message to the form of events. */`,
  "    files: z.array(z.string()).describe('Names of the attached files'),": `    files: z.array(z.string()).describe('Names of the attached files'),
    selectedText: z
      .string()
      .nullable()
      .optional()
      .describe('Text that was selected when it was written; null, or absent in older events: none'),`,
  'export function toQueueItem({ id, parts, createdAt, heldReason }: QueuedMessage): Shape<typeof queueItemSchema> {\n  return {': `export function toQueueItem(message: QueuedMessage): Shape<typeof queueItemSchema> {
  const { id, parts, createdAt, heldReason } = message;
  return { selectedText: selectedTextOf(message),`,
};
const toScreen = {
  'files={item.files}': 'files={item.files}\n                selectedText={item.selectedText ?? null}',
  '  readonly files: readonly string[];':
    '  readonly files: readonly string[];\n  readonly selectedText: string | null;',
  'const { text, files, heldReason': 'const { text, files, selectedText, heldReason',
  '{files.length > 0 && <Files':
    '{selectedText !== null && <q>{selectedText}</q>}\n        {files.length > 0 && <Files',
};

describe('a field of the API that a screen shows', () => {
  const product = new ProductCopy('new-api-field');
  let errorsOfScreen: readonly string[] = [];
  afterAll(() => product[Symbol.dispose]());

  beforeAll(async () => {
    for (const [text, by] of Object.entries(toScreen)) product.replace(SCREEN, text, by);
    errorsOfScreen = await product.typeErrors();
    for (const [text, by] of Object.entries(toField)) product.replace(SCHEMA, text, by);
  });

  it('touches at most two files of the product', () => {
    expect(product.changedFiles()).toEqual([SCREEN, SCHEMA]);
  });

  it('compiles, and the screen does not compile before the field is declared', async () => {
    expect(errorsOfScreen.join('\n')).toContain(`${SCREEN}(`);
    expect(await product.typeErrors()).toEqual([]);
  });

  it('is in the answer, and in its declaration', async () => {
    const { queueSchema, toQueuedItem } = (await product.load(SCHEMA)) as typeof Events;
    const selection = { type: 'selection', content: { text: 'Our tea', source: '/' } } as const;
    const queued = { id: 'que_01k00000000000000000000000', createdAt: 1_800_000_000_000, modelId: null };
    const message = { ...queued, heldReason: null, parts: [selection] };
    const item = toQueuedItem(message as never);
    expect(item).toMatchObject({ selectedText: 'Our tea' });
    expect(queueSchema.parse({ items: [item], held: false }).items).toEqual([item]);
  });
});
