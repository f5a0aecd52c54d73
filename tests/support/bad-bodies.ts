import { gzipSync } from 'node:zlib';

/** A letter repeated: 100,000 without a space. */
export const LETTERS = 'a'.repeat(100_000);

const DEEP = 10_000;

/** Bodies that no route accepts, by what is wrong with them. */
export const BROKEN_BODIES: Readonly<Record<string, Buffer | string>> = {
  'cut JSON': '{"title":',
  'JSON with a tail': '{}{}',
  'no JSON': 'title=Pricing',
  'a bare NaN': 'NaN',
  'a NUL byte': '\0',
  'invalid UTF-8': Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'UTF-16': Buffer.from('{}', 'utf16le'),
  'gzip without saying so': gzipSync('{}'),
  'half a surrogate pair': String.raw`{"title":"\ud800"}`,
  'half a surrogate pair in a name': String.raw`{"\udc00":1}`,
  'an escaped NUL': String.raw`{"title":"a\u0000b"}`,
  'deep arrays': '['.repeat(DEEP) + ']'.repeat(DEEP),
  'deep objects': '{"title":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
  'a prototype': '{"__proto__":{"title":"polluted"}}',
  'a prototype further down': '{"messages":[{"__proto__":{"role":"user"}}]}',
  'a constructor': '{"constructor":{"prototype":{"polluted":true}}}',
  'an array': '[]',
  'an array of 100,000': JSON.stringify(Array.from({ length: 100_000 }, () => 7)),
  'an object of 20,000 unknown fields': JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`field${index}`, index])),
  ),
  'a field name of 100,000 letters': JSON.stringify({ [LETTERS]: 1 }),
  'a text': '"title"',
  'a number': '7',
  null: 'null',
};

/** What may not stand between the quotes of a JSON text. */
export const BROKEN_TEXTS: readonly (Buffer | string)[] = [
  String.raw`a\ud800`,
  String.raw`\udc00b`,
  String.raw`a\u0000b`,
  '\0',
  '\n',
  String.raw`\x41`,
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xc3]),
  Buffer.from([0xed, 0xa0, 0x80]),
];

/** Well-formed JSON that no store could keep unchanged. */
export const BROKEN_VALUES: readonly string[] = [
  '{"__proto__":{"polluted":true}}',
  '{"deep":[{"__proto__":1}]}',
  String.raw`{"\ud800":1}`,
  String.raw`{"a\u0000b":1}`,
  String.raw`[["\udfff"]]`,
  '['.repeat(150) + ']'.repeat(150),
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP),
];
