import { expect, it } from 'vitest';
import { languageOfTag } from '#server/core/languages';
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

it('an approval in German names one call as one', async () => {
  const german = await emailTexts('de');
  const call = { asks: 'Arthur', summary: uncodedText('Veröffentlicht') };
  const about = { name: 'Edith', origin: 'https://kiln.example', page: 'https://kiln.example/account' };
  expect(german.approval({ ...about, calls: [call] }).text).toContain('Lesen Sie, was dies bewirken würde');
  expect(german.approval({ ...about, calls: [call, call] }).text).toContain('Lesen Sie, was jede bewirken würde');
});

it('a submission is mailed in the language of the site', async () => {
  const { submission } = await emailTexts(languageOfTag('de-AT'));
  expect(submission({ form: 'Kontakt', page: 'Start' })).toEqual({
    subject: 'Kontakt (Start)',
    from: 'Gesendet mit dem Formular „Kontakt“ auf der Seite „Start“.',
  });
});
