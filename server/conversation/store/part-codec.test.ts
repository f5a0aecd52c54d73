import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptRowError } from '#server/platform/database/json-column';
import { newPartsSchema, partFromRow, partToRow } from '#server/conversation/store/part-codec';
import { anyNewPart } from '#tests/support/part-arbitraries';

const place = { messageId: 'msg_1', sessionId: 'ses_1', order: 3, createdAt: 5 };

describe('part codec', () => {
  it('gives back every part as it was', () => {
    fc.assert(
      fc.property(anyNewPart, (part) => {
        const { id, ...stored } = partFromRow(partToRow(part, place));
        expect(id).toMatch(/^prt_/);
        expect(stored).toEqual({ ...part, ...place, originalTokens: null, compactedAt: null, excerptChars: null });
      }),
    );
  });

  it('gives back the parts of a queued message as they were', () => {
    fc.assert(
      fc.property(fc.array(anyNewPart, { maxLength: 4 }), (parts) => {
        expect(newPartsSchema.parse(JSON.parse(JSON.stringify(parts)))).toEqual(parts);
      }),
    );
  });

  it.each(['{', 'null', '{"toolCallId":"a"}'])('names the row whose content is broken: %s', (content) => {
    const row = { ...partToRow({ type: 'text', content: { text: '' } }, place), id: 'prt_broken', content };
    expect(() => partFromRow(row)).toThrow(CorruptRowError);
    expect(() => partFromRow(row)).toThrow('"prt_broken" of message_parts');
  });
});
