import { expect, it } from 'vitest';
import { cleanFilename } from '#server/media/sniff-file';

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
