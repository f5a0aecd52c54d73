import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { withMediaSize } from '#server/context/part-tokens';

const PNG_3_BY_2 =
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWNYFaoEQQxwFgBHAAbH2jr4tQAAAABJRU5ErkJggg==';

describe('withMediaSize', () => {
  it('reads the pixels of an image in a data URL and keeps everything else', () => {
    const file = { mediaType: 'image/png', filename: 'dot.png', url: `data:image/png;base64,${PNG_3_BY_2}` };
    expect(withMediaSize(file)).toEqual({ ...file, width: 3, height: 2 });
  });

  it('believes the bytes, not the media type or a size that came along', () => {
    const file = { mediaType: 'image/jpeg', url: `data:image/jpeg;base64,${PNG_3_BY_2}` };
    expect(withMediaSize({ ...file, width: 9_000, height: 9_000 })).toEqual({ ...file, width: 3, height: 2 });
  });

  it('counts the pages of a PDF, not its page tree', () => {
    const tree = '<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>';
    const pages = ['<< /Type /Page /Parent 2 0 R >>', '<</Type/Page/Parent 2 0 R>>', '<< /Type  /Page>>'];
    expect(withMediaSize(pdf([tree, ...pages].join('\n'))).pages).toBe(3);
  });

  it('leaves out what it cannot read: web addresses, other formats, compressed page trees', () => {
    const files = [
      { mediaType: 'image/png', url: 'https://example.com/photo.png' },
      { mediaType: 'image/svg+xml', url: 'data:image/svg+xml,%3Csvg/%3E' },
      { mediaType: 'image/avif', url: `data:image/avif;base64,${Buffer.alloc(100).toString('base64')}` },
      pdf('%PDF-1.7 stream ... endstream'),
      { mediaType: 'text/plain', url: 'data:text/plain;base64,SGVsbG8=' },
    ];
    for (const file of files) expect(withMediaSize(file)).toEqual(file);
  });

  it('takes any file at all, and the same one twice, alike', () => {
    const anyFile = fc.record({
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'text/plain', ''),
      url: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => `data:x;base64,${Buffer.from(bytes).toString('base64')}`),
        fc.string().map((text) => `data:;base64,${text}`),
      ),
    });
    fc.assert(
      fc.property(anyFile, (file) => {
        const sized = withMediaSize(file);
        expect(sized).toMatchObject(file);
        expect(withMediaSize(sized)).toEqual(sized);
      }),
    );
  });

  it('bounds the pages that a file may claim', () => {
    expect(withMediaSize(pdf('/Type /Page '.repeat(5_000))).pages).toBe(2_000);
  });
});

function pdf(text: string) {
  return {
    mediaType: 'application/pdf',
    url: `data:application/pdf;base64,${Buffer.from(text).toString('base64')}`,
  };
}
