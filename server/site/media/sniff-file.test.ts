import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from '#server/core/limits';
import { InvalidInputError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { cleanFilename, sniffFile } from '#server/site/media/sniff-file';
import { pngImage } from '#tests/support/attached-files';

const bytes = (text: string) => Buffer.from(text);
const base64 = (text: string) => Buffer.from(text, 'base64');
const GIF = base64('R0lGODlhAgABAIAAAP8AAAAA/ywAAAAAAgABAAACAgRMADs=');
const WEBP = base64('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAUAmJaQAA3AA/v3AgAA=');

describe('an image', () => {
  it.each([
    ['PNG', pngImage(30, 20), 'image/png', 30, 20],
    ['GIF', GIF, 'image/gif', 2, 1],
    ['WebP', WEBP, 'image/webp', 1, 1],
  ])('is known by its content, with its size: %s', async (_, data, mediaType, width, height) => {
    expect(await sniffFile(data, 'letter.txt')).toEqual({ kind: 'image', mediaType, width, height });
  });

  it('may not have more bytes or pixels than providers take', async () => {
    const png = pngImage(30, 20);
    const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    await expect(sniffFile(padded(MAX_IMAGE_BYTES), 'a.png')).resolves.toMatchObject({ kind: 'image' });
    await expect(sniffFile(padded(MAX_IMAGE_BYTES + 1), 'a.png')).rejects.toThrow(TooLargeError);
    const bomb = Buffer.from(png);
    bomb.writeUInt32BE(20_000, 16);
    bomb.writeUInt32BE(2_000, 20);
    await expect(sniffFile(bomb, 'a.png')).resolves.toMatchObject({ width: 20_000 });
    bomb.writeUInt32BE(2_001, 20);
    await expect(sniffFile(bomb, 'a.png')).rejects.toThrow('40,000,000 pixels');
  });

  it('of which the header is cut off is refused', async () => {
    await expect(sniffFile(pngImage(30, 20).subarray(0, 20), 'a.png')).rejects.toThrow(UnsupportedFileError);
  });
});

describe('a text', () => {
  it.each([
    ['notes.txt', 'Kiln at 1,240 °C', 'text/plain'],
    ['notes.md', '# Glazes', 'text/markdown'],
    ['prices.CSV', 'mug,24', 'text/csv'],
    ['site.json', '{}', 'application/json'],
    ['site.constructor', '{}', 'text/plain'],
    ['', 'nameless', 'text/plain'],
    // By its first letters a bitmap.
    ['prices.txt', 'BMW mugs', 'text/plain'],
    ['logo.svg', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'text/plain'],
    ['page.html', '<!doctype html><script>alert(1)</script>', 'text/plain'],
    ['fake.png', 'no image at all', 'text/plain'],
  ])('is any UTF-8: %s', async (filename, text, mediaType) => {
    expect(await sniffFile(bytes(text), filename)).toEqual({ kind: 'text', mediaType });
  });

  it('may not be longer than a message can hold', async () => {
    await expect(sniffFile(bytes('a'.repeat(MAX_TEXT_BYTES)), 'a.txt')).resolves.toMatchObject({ kind: 'text' });
    await expect(sniffFile(bytes('a'.repeat(MAX_TEXT_BYTES + 1)), 'a.txt')).rejects.toThrow(TooLargeError);
  });
});

it.each([
  ['a PDF', bytes('%PDF-1.4\n1 0 obj'), 'application/pdf'],
  ['a packed file', gzipSync('words'), 'application/gzip'],
  ['a text with a NUL', bytes('a\0b'), 'This file'],
  ['UTF-16', Buffer.from('words', 'utf16le'), 'UTF-8'],
  ['noise', Buffer.from([0xff, 0xfe, 0xfd, 0x00, 0x80]), 'PNG, JPEG, GIF, WebP'],
])('refuses %s and lists the accepted types', async (_, data, words) => {
  const refusal = sniffFile(data, 'letter.txt');
  await expect(refusal).rejects.toThrow(UnsupportedFileError);
  await expect(refusal).rejects.toThrow(words);
});

it('refuses nothing at all', async () => {
  await expect(sniffFile(new Uint8Array(), 'a.txt')).rejects.toThrow(InvalidInputError);
});

describe('a file name', () => {
  it.each([
    ['kiln.png', 'kiln.png'],
    ['C:\\Users\\me\\kiln log.csv', 'kiln log.csv'],
    ['../../etc/passwd', 'passwd'],
    ['in\nvis\u200bible\u202e.txt', 'invisible.txt'],
    ['  spaced \t out.md ', 'spaced out.md'],
    ['漢字 😀.txt', '漢字 😀.txt'],
    ['half\ud83d.txt', 'half\ufffd.txt'],
    ['/', ''],
    ['\u0000', ''],
  ])('%j becomes %j', (name, clean) => {
    expect(cleanFilename(name)).toBe(clean);
  });

  it('cuts a long name and keeps its ending', () => {
    const clean = cleanFilename(`${'a'.repeat(300)}.jpeg`);
    expect(clean).toHaveLength(100);
    expect(clean.endsWith('a….jpeg')).toBe(true);
    expect(cleanFilename('b'.repeat(300))).toHaveLength(100);
  });
});
