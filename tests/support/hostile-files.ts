import { deflateSync, gzipSync } from 'node:zlib';
import { pngChunk, pngImage, pngSignature } from '#tests/support/attached-files';

/** A PNG in black and white that claims any size: what unfolds to billions of pixels has a few hundred bytes here. */
export function claimingPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const line = deflateSync(Buffer.alloc(Math.ceil(width / 8) + 1));
  return Buffer.concat([pngSignature, pngChunk('IHDR', header), pngChunk('IDAT', line), pngChunk('IEND')]);
}

/** An animated GIF of that size, each of whose frames draws one pixel: 16 bytes a frame. */
export function animatedGif(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  // A palette of two colours follows.
  screen[4] = 0x80;
  const palette = Buffer.from([0, 0, 0, 255, 255, 255]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]);
  const all = Array.from({ length: frames }, () => frame);
  return Buffer.concat([Buffer.from('GIF89a'), screen, palette, ...all, Buffer.from([0x3b])]);
}

/** A file that may be uploaded as a picture, and what has to happen to it. */
export interface HostileFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** Status, and as what it is served where it is taken. */
  readonly attached: 413 | 415 | 'text' | 'image';
  readonly pictured: 413 | 415 | 'image';
}

const png = pngImage(30, 20);
const SCRIPT = '<script>parent.injected = 1</script>';

/** By what they are. */
export const hostileFiles: Readonly<Record<string, HostileFile>> = {
  'a PNG of few bytes that unfolds to 2.5 billion pixels': {
    filename: 'bomb.png',
    bytes: claimingPng(50_000, 50_000),
    attached: 413,
    pictured: 413,
  },
  'a PNG whose width no picture has': {
    filename: 'wide.png',
    bytes: claimingPng(0x7f_ff_ff_ff, 1),
    attached: 415,
    pictured: 415,
  },
  'an animation of few bytes that unfolds to as many': {
    filename: 'bomb.gif',
    bytes: animatedGif(2_000, 2_000, 1_000),
    attached: 413,
    pictured: 413,
  },
  'a PNG that ends too early': { filename: 'cut.png', bytes: png.subarray(0, -40), attached: 415, pictured: 415 },
  'a PNG without its picture': { filename: 'hollow.png', bytes: png.subarray(0, 33), attached: 415, pictured: 415 },
  'a page that is called a picture': {
    filename: 'kiln.png',
    bytes: Buffer.from(`<!doctype html>${SCRIPT}`),
    attached: 'text',
    pictured: 415,
  },
  'a drawing with a script': {
    filename: 'kiln.svg',
    bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="parent.injected=1">${SCRIPT}</svg>`),
    attached: 'text',
    pictured: 415,
  },
  'a script that begins like a GIF': {
    filename: 'kiln.gif',
    bytes: Buffer.from('GIF89a=1;parent.injected=1//'),
    attached: 'text',
    pictured: 415,
  },
  'a picture with a page behind it': {
    filename: 'kiln.html',
    bytes: Buffer.concat([png, Buffer.from(SCRIPT)]),
    attached: 'image',
    pictured: 'image',
  },
  'a PDF': { filename: 'kiln.png', bytes: Buffer.from('%PDF-1.7\n1 0 obj'), attached: 415, pictured: 415 },
  'a packed file': { filename: 'kiln.png', bytes: gzipSync(png), attached: 415, pictured: 415 },
  'a program': {
    filename: 'kiln.png',
    bytes: Buffer.concat([Buffer.from('MZ\x90\0\x03', 'latin1'), Buffer.alloc(200)]),
    attached: 415,
    pictured: 415,
  },
};
