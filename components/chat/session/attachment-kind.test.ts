import { describe, expect, it } from 'vitest';
import { attachmentKind } from '#components/chat/session/draft-files';

const file = (name: string, type: string, ...pieces: BlobPart[]) => new File(pieces, name, { type });

describe('what a file is attached as', () => {
  it.each([
    [file('a.png', 'image/png', 'whatever'), { kind: 'image' }],
    [file('a.txt', 'text/plain', 'Kiln'), { kind: 'text' }],
    [file('notes', '', 'Kiln'), { kind: 'text' }],
    [file('logo.svg', 'image/svg+xml', '<svg/>'), { kind: 'text' }],
    [file('a.txt', 'text/plain'), { problem: 'empty' }],
    [file('a.jpg', 'image/jpeg', new Uint8Array(5_000_001)), { problem: 'imageTooLarge' }],
    [file('a.csv', 'application/vnd.ms-excel', 'x'.repeat(200_001)), { problem: 'textTooLarge' }],
    [file('a.zip', 'application/zip', new Uint8Array(200_001)), { problem: 'unsupported' }],
    [file('a.heic', 'image/heic', new Uint8Array([0, 0, 0, 24])), { problem: 'unsupported' }],
    [file('a.pdf', 'application/pdf', '%PDF-1.7'), { problem: 'unsupported' }],
    [file('a.txt', 'text/plain', new Uint8Array([0xff, 0xfe, 0x41])), { problem: 'unsupported' }],
  ])('%#', async (given, expected) => {
    expect(await attachmentKind(given)).toEqual(expected);
  });
});
