import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readImageSize } from '#server/core/site/image-size';

/* Images of 3 x 2 pixels as an encoder wrote them, cut where their size has been said. */
const images = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWNYFaoEQQxwFgBHAAbH2jr4tQAAAABJRU5ErkJggg==',
  jpeg: '/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEB',
  'progressive jpeg':
    '/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wgARCAACAAMDASIAAhEB',
  gif: 'R0lGODlhAwACAIAAAExpcapVIiH5BAUAAAAALAAAAAADAAIAAAICjF8AOw==',
  'lossy webp': 'UklGRi4AAABXRUJQVlA4ICIAAABwAQCdASoDAAIADMDOJaACdAFAAAD+u7b3LRJGVer0NAAA',
  'lossless webp': 'UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAfQqqpWpP+BiOh/AAA=',
  'webp with transparency':
    'UklGRkYAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAAQUxQSAcAAAAQgICAgICAAFZQOCAYAAAAMAEAnQEqAwACAAzAziWkAANwAP7sHYAA',
};

const side = fc.integer({ min: 1, max: 16_000 });

describe('readImageSize', () => {
  it.each(Object.entries(images))('reads a %s', (_, base64) => {
    expect(readImageSize(Buffer.from(base64, 'base64'))).toEqual({ width: 3, height: 2 });
  });

  it('reads any size from a PNG, GIF, WebP and JPEG with other segments before it', () => {
    fc.assert(
      fc.property(side, side, fc.integer({ min: 2, max: 60_000 }), (width, height, segment) => {
        const size = { width, height };
        expect(readImageSize(png(width, height))).toEqual(size);
        expect(readImageSize(gif(width, height))).toEqual(size);
        expect(readImageSize(webp(width, height))).toEqual(size);
        expect(readImageSize(jpeg(width, height, segment))).toEqual(size);
      }),
    );
  });

  it('reads a view into a larger buffer within its bounds', () => {
    const bytes = Buffer.concat([Buffer.alloc(7, 0xff), png(640, 480), Buffer.alloc(5)]);
    expect(readImageSize(bytes.subarray(7, bytes.length - 5))).toEqual({ width: 640, height: 480 });
  });

  it('returns null for files that are no image and for impossible sizes', () => {
    expect(readImageSize(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'))).toBeNull();
    expect(readImageSize(new Uint8Array())).toBeNull();
    expect(readImageSize(png(0, 10))).toBeNull();
    expect(readImageSize(png(2 ** 32 - 1, 10))).toBeNull();
    expect(readImageSize(jpeg(10, 10, 40_000).subarray(0, 30_000))).toBeNull();
  });

  it('never throws and always ends, for any bytes after a valid mark', () => {
    const marks = [png(1, 1), gif(1, 1), webp(1, 1), jpeg(1, 1, 2)].map((image) => image.subarray(0, 12));
    fc.assert(
      fc.property(fc.constantFrom(...marks), fc.uint8Array({ maxLength: 300 }), (mark, rest) => {
        const size = readImageSize(Buffer.concat([mark, rest]));
        if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
    expect(readImageSize(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100_000, 0xff)]))).toBeNull();
  });
});

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.write('IHDR', 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.write('GIF89a');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF');
  bytes.write('WEBPVP8X', 8);
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}

/** A frame header after a segment of `segment` bytes, as in a photo with a thumbnail. */
function jpeg(width: number, height: number, segment: number): Buffer {
  const bytes = Buffer.alloc(segment + 40);
  bytes.writeUInt32BE(0xffd8ffe1);
  bytes.writeUInt16BE(segment, 4);
  const frame = 4 + segment;
  bytes.writeUInt16BE(0xffc0, frame);
  bytes.writeUInt16BE(17, frame + 2);
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}
