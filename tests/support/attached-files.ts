import { crc32, deflateSync } from 'node:zlib';

/** What every PNG begins with. */
export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A whole PNG in two colours, as any viewer shows it. */
export function pngImage(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8);
  const line = (y: number) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => (x * height > y * width ? SAND : CLAY)).flat()]);
  const lines = Buffer.concat(Array.from({ length: height }, (_, y) => line(y)));
  return Buffer.concat([
    pngSignature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(lines)),
    pngChunk('IEND'),
  ]);
}

const CLAY = [0xb5, 0x65, 0x4a];
const SAND = [0xe8, 0xd9, 0xc0];

/** A part of a PNG with its length and checksum. */
export function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
