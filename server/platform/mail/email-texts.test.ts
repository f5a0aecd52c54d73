import { expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { emailTexts } from '#server/platform/mail/email-texts';

const { approval } = await emailTexts('en');

const letterOf = (summary: string, asks = 'Arthur') =>
  approval({
    name: 'Edith',
    origin: 'https://kiln.example',
    page: 'https://kiln.example/account',
    calls: [{ asks, summary: uncodedText(summary) }],
  });

it.each([
  'Publishes "Sign in at https://evil.example/login"',
  'Publishes "evil.example/login"',
  'Publishes "www.evil.example"',
  'Publishes "HTTP://EVIL.EXAMPLE"',
  'Publishes "ftp://10.0.0.1/x"',
  'Publishes "write to boss@evil.example"',
  'Publishes "mailto:boss@evil"',
  'Publishes "bücher.example and xn--bcher-kva.example"',
  'Publishes "evil。example"',
])('text of people who may only draft is no link in a mail: %s', (summary) => {
  for (const letter of [letterOf(summary), letterOf('Publishes a page', summary)]) {
    const own = letter.text.replaceAll('https://kiln.example/account', '').replaceAll('kiln.example', '');
    for (const text of [letter.subject, own]) expect(text).not.toMatch(/:\/\/|mailto:|[\p{L}\p{N}][.。][\p{L}-]/iu);
  }
  expect(letterOf(summary).text).toContain('https://kiln.example/account');
});

it('prices and sentences stay unchanged', () => {
  expect(letterOf('Sets the price to 3.50 €. Then publishes "Mugs"').text).toContain('3.50 €. Then publishes "Mugs"');
});
