import { expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { emailTexts } from '#server/platform/mail/email-texts';

const { approval } = await emailTexts('en');

const PUBLISHED = { title: 'Preise', path: '/preise', time: null, isPrivate: false, isUpdate: false };

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

it('writes every email in German, with what the calls would do', async () => {
  const texts = await emailTexts('de');
  const origin = 'https://kiln.example';
  const of = { name: 'Edith', origin, link: `${origin}/login`, expiresAt: 0, sender: null };
  const calls = Array.from({ length: 12 }, () => ({ asks: null, summary: serverText('publish', PUBLISHED) }));
  const emails = [
    texts.invitation(of),
    texts.reset(of),
    texts.reset({ ...of, sender: 'Olive' }),
    texts.approval({ name: 'Edith', origin, page: `${origin}/account`, calls }),
    texts.approval({ name: 'Edith', origin, page: `${origin}/account`, calls: calls.slice(0, 1) }),
    texts.test(origin),
    { subject: '', text: Object.values(texts.submission({ form: 'Kontakt', page: 'Start' })).join(' ') },
  ];
  for (const { subject, text } of emails)
    expect(`${subject} ${text}`).not.toMatch(/\b(the|your|you|and|with|this|that|of|is|to|publishes|page|sent)\b/i);
});
